/** The request to a language model, and its reply: the same whoever carries the model out. */

import type { Usage } from '../protocol/index.ts';
import type { JsonValue } from '../plan/index.ts';

/** A JSON Schema (draft 2020-12, 7 or 4), as an object. */
export type JsonSchema = Readonly<Record<string, JsonValue>>;

/** One message of the talk with a model. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** From an assistant: the calls that it wrote. */
  readonly toolCalls?: readonly ToolCall[];
  /** From a tool: the call that it answers. */
  readonly toolCallId?: string;
  /** From an assistant: the `reasoning` of its reply, as it came. Servers that keep none of it pass it over. */
  readonly reasoning?: readonly JsonValue[];
}

/** A call of a tool, as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it, unchecked. */
  readonly arguments: string;
}

/** A tool that a model may call: its name, a sentence to choose by, and the JSON Schema of its arguments. */
export interface ModelTool {
  /** Letters, digits, `_` and `-`, at most 64, since every server takes these. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Asks for a reply that is JSON of this shape. */
export interface ModelFormat {
  /** The same bounds as for the name of a tool. */
  readonly name: string;
  readonly schema: JsonSchema;
  /**
   * The reader of the reply forgives more than the schema says: the reply has the `value` of any JSON, or none, and no
   * reply is an error for its form. Default: a reply keeps to the schema.
   */
  readonly isJudgedByReader?: true;
}

/** One request to a model: the messages so far, and the form and bounds of the reply. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly format?: ModelFormat;
  readonly tools?: readonly ModelTool[];
  /** The most tokens of the reply, thoughts included where the server counts them. Default: the server's own. */
  readonly maxTokens?: number;
  /** 0 to 2. Default: the server's own. */
  readonly temperature?: number;
  /** How much a model thinks, in the server's words, such as `low` or `high`. Default: the server's own. */
  readonly reasoningEffort?: string;
  /** `required`: the reply calls a tool, where the server takes that. Default `auto`: as the model likes. */
  readonly toolChoice?: 'auto' | 'required';
  /** Whether one reply may call several tools. Default: the server's own. */
  readonly parallelToolCalls?: boolean;
}

/** Why the model stopped writing. */
export type Finish = 'stop' | 'length' | 'content-filter' | 'refusal' | 'tool-calls';

/** The usage of one call: `calls` is 1. The cost is by the project's price, else as the server tells it, else absent. */
export interface ModelUsage extends Usage {
  /** The server told no numbers: tokens are reckoned as characters / 4, rounded up. */
  readonly reckoned?: true;
}

/** The whole reply of a model: its text, value or tool calls, why it ended there, and the tokens that it took. */
export interface ModelReply {
  /** The text of the model; for a refusal, its reason. */
  readonly text: string;
  /** The parsed JSON, where a format was asked for and the model called no tool. It keeps to the schema. */
  readonly value?: JsonValue;
  /** The parts that had to be taken off or mended to read the value, a sentence each; absent where there are none. */
  readonly repairs?: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: ModelUsage;
  /** The model that answered, as the server names it. */
  readonly model: string;
  /**
   * The thoughts of the model in the form in which its server wants them back with the message: items of the Responses
   * API, or one with the members of a message of chat completions. At most 128 items, a part of `replyBytes`; absent where
   * there are none.
   */
  readonly reasoning?: readonly JsonValue[];
}

/** An error of a callback ends the call, and is thrown as it is. */
export interface CallOptions {
  /** Ends the call: it fails as `cancelled`. */
  readonly signal?: AbortSignal;
  /** Pieces of the text as they come. The words of a refusal, and tool calls, are not among them. */
  readonly onText?: (delta: string) => void;
  /** Called with all that comes of an answer, whatever it holds. */
  readonly onBeat?: () => void;
  /** Takes a sentence about the server for the people who run the project, once each. Default: a warning of the process. */
  readonly onNote?: (note: string) => void;
}

/** A language model that can be asked: a model of a server, as `openAIClient` makes it, or one of your own. */
export interface ModelClient {
  /** The model, as the server is asked for it. */
  readonly name: string;
  /**
   * One call, never tried again by itself. With a `format` the reply has a `value` or calls a tool; whatever else comes
   * (cut off, refused, filtered, another shape) is an error that has the `usage`. Without one, `finish` tells.
   * @throws ModelError
   */
  complete(request: ModelRequest, options?: CallOptions): Promise<ModelReply>;
}
