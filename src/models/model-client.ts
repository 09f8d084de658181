/** The request to a language model and its reply, independent of the server. */

import type { Usage } from '../protocol/index.ts';
import type { JsonValue } from '../plan/index.ts';

/** A JSON Schema (draft 2020-12, 7 or 4), as an object. */
export type JsonSchema = Readonly<Record<string, JsonValue>>;

/** One message of a conversation with a model. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** From an assistant: its calls. */
  readonly toolCalls?: readonly ToolCall[];
  /** From a tool: the call that it answers. */
  readonly toolCallId?: string;
  /** From an assistant: the `reasoning` of its reply, unchanged. Servers that do not support it ignore it. */
  readonly reasoning?: readonly JsonValue[];
}

/** A call of a tool, as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text from the model, unchecked. */
  readonly arguments: string;
}

/** A tool that a model may call: its name, a sentence to choose by, and the JSON Schema of its arguments. */
export interface ModelTool {
  /** Letters, digits, `_` and `-`, at most 64: every server accepts these. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Requests a reply that is JSON of this shape. */
export interface ModelFormat {
  readonly name: string;
  readonly schema: JsonSchema;
  /**
   * The caller checks the reply more loosely than the schema: `value` is any JSON, or absent, and no reply is an error
   * for its form. Default: a reply must fit the schema.
   */
  readonly isJudgedByReader?: true;
}

/** One request to a model: the messages so far, and the form and limits of the reply. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly format?: ModelFormat;
  readonly tools?: readonly ModelTool[];
  /** Tokens of the reply at most, including thoughts if the server counts them. Default: the server's. */
  readonly maxTokens?: number;
  /** 0 to 2. Default: the server's. */
  readonly temperature?: number;
  /** How much a model thinks, in the server's words, such as `low` or `high`. Default: the server's. */
  readonly reasoningEffort?: string;
  /** `required`: the reply must call a tool, if the server supports that. Default `auto`: the model chooses. */
  readonly toolChoice?: 'auto' | 'required';
  /** Whether one reply may call several tools. Default: the server's. */
  readonly parallelToolCalls?: boolean;
}

/** Why the model stopped. */
export type Finish = 'stop' | 'length' | 'content-filter' | 'refusal' | 'tool-calls';

/**
 * The usage of one call: `calls` is 1. The cost uses the project's price, else the server's number, else it is absent.
 */
export interface ModelUsage extends Usage {
  /** The server reported no numbers: tokens are estimated as characters / 4, rounded up. */
  readonly reckoned?: true;
}

/** The complete reply of a model: its text, value or tool calls, why it ended, and its tokens. */
export interface ModelReply {
  /** The text of the model; for a refusal, its reason. */
  readonly text: string;
  /** The parsed JSON, if a format was requested and the model called no tool. It fits the schema. */
  readonly value?: JsonValue;
  /** What was removed or repaired to read the value, a sentence each. */
  readonly repairs?: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: ModelUsage;
  /** The model that answered, by the server's name. */
  readonly model: string;
  /**
   * The thoughts of the model in the form in which its server wants them back: items of the Responses API, or one with
   * the members of a chat message. At most 128 items, which count in `replyBytes`.
   */
  readonly reasoning?: readonly JsonValue[];
}

/** If a callback throws, the call ends with that error. */
export interface CallOptions {
  /** Ends the call: it fails as `cancelled`. */
  readonly signal?: AbortSignal;
  /** Pieces of the text as they come, without refusals and tool calls. */
  readonly onText?: (delta: string) => void;
  readonly onBeat?: () => void;
  /** Receives a sentence about the server for the people who run the project, once each. Default: a process warning. */
  readonly onNote?: (note: string) => void;
}

/** A language model: a model of a server, as `openAIClient` makes it, or your own. */
export interface ModelClient {
  /** The model's name in requests. */
  readonly name: string;
  /**
   * One call, never retried here. With a `format` the reply has a `value` or calls a tool; any other reply (cut off,
   * refused, filtered, another shape) is an error with the `usage`. Without one, `finish` says why it ended.
   * @throws ModelError
   */
  complete(request: ModelRequest, options?: CallOptions): Promise<ModelReply>;
}
