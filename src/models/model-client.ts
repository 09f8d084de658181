import type { Usage } from '../protocol/index.ts';
import type { JsonValue } from '../plan/index.ts';

/** A JSON Schema (draft 2020-12, 7 or 4) as an object. */
export type JsonSchema = Readonly<Record<string, JsonValue>>;

/** One message in a conversation with a model. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  /** The id of the call that a tool's message answers. */
  readonly toolCallId?: string;
  /** The `reasoning` of the reply that became this message, unchanged. Servers without support ignore it. */
  readonly reasoning?: readonly JsonValue[];
}

/** A call of a tool, as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A tool that a model may call: its name, a sentence that helps to choose it, and the JSON Schema of its arguments. */
export interface ModelTool {
  /** Letters, digits, `_` and `-`, at most 64 characters. Every server accepts such names. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** The format of a reply that must be JSON: a name and a JSON Schema. */
export interface ModelFormat {
  readonly name: string;
  readonly schema: JsonSchema;
  /** The caller checks the reply by its own rules: `value` is any JSON, or absent, and the form is never an error. */
  readonly isJudgedByReader?: true;
}

/** One request to a model: the messages so far, and the form and limits of the reply. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly format?: ModelFormat;
  readonly tools?: readonly ModelTool[];
  /** Maximum tokens in the reply, with reasoning if the server counts it. Default: the server's own limit. */
  readonly maxTokens?: number;
  /** Temperature from 0 to 2. Default: the server's own setting. */
  readonly temperature?: number;
  /** How much a model reasons, in the server's words, such as `low`. Default: the server's own setting. */
  readonly reasoningEffort?: string;
  /** `required`: the reply must call a tool, if the server supports that. Default `auto`: the model chooses. */
  readonly toolChoice?: 'auto' | 'required';
  /** Whether one reply may call several tools. Default: the server's own setting. */
  readonly parallelToolCalls?: boolean;
}

/** The reason why the model stopped. */
export type Finish = 'stop' | 'length' | 'content-filter' | 'refusal' | 'tool-calls';

/** The usage of one call. The cost comes from the project's price, or else from the server, or else is absent. */
export interface ModelUsage extends Usage {
  /** Set if the server reported no numbers. Tokens are then estimated as characters / 4, rounded up. */
  readonly reckoned?: true;
}

/** The complete reply of a model: its text, value or tool calls, the reason why it ended, and its usage. */
export interface ModelReply {
  /** The text of the model. If the model refuses, the text is its reason. */
  readonly text: string;
  /** The parsed JSON, if a format was requested and the model called no tool. It matches the schema. */
  readonly value?: JsonValue;
  /** Sentences about what was removed or repaired to read the value. */
  readonly repairs?: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: ModelUsage;
  /** The name of the model that answered, as the server reports it. */
  readonly model: string;
  /**
   * The reasoning in the form that the server accepts back: items of the Responses API, or one item with the members of
   * a chat message. At most 128 items, which count towards `replyBytes`.
   */
  readonly reasoning?: readonly JsonValue[];
}

/** The signal and the callbacks of a call. If a callback throws, the call ends with that error. */
export interface CallOptions {
  /** Ends the call, which then fails as `cancelled`. */
  readonly signal?: AbortSignal;
  /** Receives the text in pieces as they arrive, without refusals and tool calls. */
  readonly onText?: (delta: string) => void;
  readonly onBeat?: () => void;
  /** Receives sentences about the server for the operators of the project, each once. Default: a process warning. */
  readonly onNote?: (note: string) => void;
}

/** A language model: a model of a server from `openAIClient`, or your own implementation. */
export interface ModelClient {
  /** The name of the model in requests. */
  readonly name: string;
  /**
   * Makes one call, without retries. With a `format`, the reply has a `value` or calls a tool; any other reply (cut
   * off, refused, filtered, another shape) is an error with its `usage`. Without a `format`, `finish` says why the
   * reply ended.
   * @throws ModelError
   */
  complete(request: ModelRequest, options?: CallOptions): Promise<ModelReply>;
}
