import { quote } from '../plan/text/index.ts';
import { ModelError } from './model-error.ts';
import { judgeReply } from './judge.ts';
import { estimateUsage } from './settings.ts';
import { checkRequest } from './request.ts';
import type { Finish, ModelClient, ModelReply, ModelRequest, ToolCall } from './model-client.ts';

/** One scripted reply, which is used once. */
export interface ScriptedLine {
  /** A text or pattern that the last message or a system message must contain. Default: any request fits. */
  readonly when?: string | RegExp;
  /** The reply: a text, or an object with a text, a value or tool calls. */
  readonly reply?: string | ScriptedReply;
  readonly error?: Error;
}

/** A scripted reply: a text, a value that is written as JSON, or tool calls. */
export interface ScriptedReply {
  readonly text?: string;
  readonly value?: unknown;
  readonly toolCalls?: readonly ToolCall[];
  /** The reason why the reply ends. Default: `tool-calls` if there are tool calls, else `stop`. */
  readonly finish?: Finish;
}

/** A model for tests. It replies with the lines of its script in order and records its requests. */
export interface ScriptedClient extends ModelClient {
  readonly requests: readonly ModelRequest[];
  readonly left: number;
}

/**
 * Creates a model that replies with the lines in order, each once. If a request does not fit the next line, or none is
 * left, the call fails with an error that quotes the request. The usage is an estimate (characters / 4).
 * @example
 * const model = scriptedClient([{ when: 'genes', reply: { value: { goal: 'Find genes', plan } } }]);
 * await model.complete({ messages: [{ role: 'user', content: 'Which genes?' }] });
 */
export function scriptedClient(lines: readonly ScriptedLine[], name = 'scripted'): ScriptedClient {
  const requests: ModelRequest[] = [];
  let next = 0;
  return {
    name,
    requests,
    get left() {
      return lines.length - next;
    },
    // Nothing in this function waits, so concurrent calls get their replies in the order of the calls.
    async complete(request, { signal, onText, onBeat } = {}) {
      if (signal?.aborted) throw new ModelError('cancelled', 'The call was stopped before it began.');
      checkRequest(request);
      requests.push(request);
      const line = lines[next];
      if (line === undefined) throw improvised(lines.length, `there is none for request ${requests.length}`, request);
      if (!matchesRequest(line.when, request)) {
        throw improvised(lines.length, `line ${next + 1} waits for ${String(line.when)}`, request);
      }
      next += 1;
      if (line.error !== undefined) throw line.error;
      const reply = replyOf(line.reply ?? '', request, name);
      onBeat?.();
      if (reply.finish !== 'refusal' && reply.text !== '') onText?.(reply.text);
      return judgeReply(reply, request, name);
    },
  };
}

function replyOf(scripted: string | ScriptedReply, request: ModelRequest, model: string): Omit<ModelReply, 'value'> {
  const { text, value, toolCalls = [], finish } = typeof scripted === 'string' ? { text: scripted } : scripted;
  const written = text ?? (value === undefined ? '' : JSON.stringify(value));
  const usage = estimateUsage(request, written + toolCalls.map((call) => call.arguments).join(''));
  return { text: written, toolCalls, finish: finish ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'), usage, model };
}

function matchesRequest(when: string | RegExp | undefined, { messages }: ModelRequest): boolean {
  if (when === undefined) return true;
  const visible = messages.filter((message, index) => message.role === 'system' || index === messages.length - 1);
  // With the flag g, `test` would start at the pattern's last position; `search` does not.
  return visible.some(({ content }) => (typeof when === 'string' ? content.includes(when) : content.search(when) >= 0));
}

/** Not a `ModelError`, since a mistake in a script must not be handled as a failure of a model. */
function improvised(lines: number, why: string, { messages }: ModelRequest): Error {
  const question = messages.at(-1);
  const many = `${lines} line${lines === 1 ? '' : 's'}`;
  const message = `The scripted model does not improvise: it has ${many}, and ${why}. Asked was (${question?.role}) ${quote(question?.content ?? '')}. Give it a line for this.`;
  return Object.assign(new Error(message), { name: 'ScriptError' });
}
