/** A model with scripted replies, for demos and tests. */

import { quote } from '../plan/text/index.ts';
import { ModelError } from './model-error.ts';
import { judgeReply } from './judge.ts';
import { estimateUsage } from './prices.ts';
import { checkRequest } from './request.ts';
import type { Finish, ModelClient, ModelReply, ModelRequest, ToolCall } from './model-client.ts';

/** One scripted reply, used in its turn. */
export interface ScriptedLine {
  /** The expected text in the last message or in a system message: a part of it, or a pattern. Default: anything. */
  readonly when?: string | RegExp;
  /** A text, or the JSON of a value; or an object of `ScriptedReply`. */
  readonly reply?: string | ScriptedReply;
  readonly error?: Error;
}

/** A scripted reply: a text, a value that is written as JSON, or tool calls. */
export interface ScriptedReply {
  readonly text?: string;
  /** Instead of a text: sent as JSON. */
  readonly value?: unknown;
  readonly toolCalls?: readonly ToolCall[];
  /** Default `tool-calls` if there are some, else `stop`. */
  readonly finish?: Finish;
}

/** A model that replies with the given lines in order and stores its requests. */
export interface ScriptedClient extends ModelClient {
  /** All requests in order, including refused ones. */
  readonly requests: readonly ModelRequest[];
  readonly left: number;
}

/**
 * Replies with the lines in order, each once. A question that does not fit the next line, or comes after the last,
 * fails with an error that shows it. Its usage is estimated (characters / 4, rounded up) and says so.
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
    // Never waits, so that concurrent calls are answered in order of arrival.
    async complete(request, { signal, onText, onBeat } = {}) {
      if (signal?.aborted) throw new ModelError('cancelled', 'The call was stopped before it began.');
      checkRequest(request);
      requests.push(request);
      const line = lines[next];
      if (line === undefined) throw improvised(lines.length, `there is none for request ${requests.length}`, request);
      if (!fits(line.when, request)) {
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

function fits(when: string | RegExp | undefined, { messages }: ModelRequest): boolean {
  if (when === undefined) return true;
  const visible = messages.filter((message, index) => message.role === 'system' || index === messages.length - 1);
  // A pattern with the flag g would remember its position.
  return visible.some(({ content }) => (typeof when === 'string' ? content.includes(when) : content.search(when) >= 0));
}

/** No `ModelError`: a mistake in a script must not be handled as a failure of a model. */
function improvised(lines: number, why: string, { messages }: ModelRequest): Error {
  const question = messages.at(-1);
  const many = `${lines} line${lines === 1 ? '' : 's'}`;
  const message = `The scripted model does not improvise: it has ${many}, and ${why}. Asked was (${question?.role}) ${quote(question?.content ?? '')}. Give it a line for this.`;
  return Object.assign(new Error(message), { name: 'ScriptError' });
}
