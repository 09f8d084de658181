/** A model that says the lines it was given: for demos, and for tests of any code that asks models. */

import { quote } from '../plan/text/index.ts';
import { ModelError } from './model-error.ts';
import { judge } from './judge.ts';
import { reckonUsage } from './prices.ts';
import { checkRequest } from './request.ts';
import type { Finish, ModelClient, ModelReply, ModelRequest, ToolCall } from './model-client.ts';

/** One reply, in the place in which it stands. */
export interface ScriptedLine {
  /** The text to expect in the last message or in a system message: a piece of it, or a pattern. Default: anything. */
  readonly when?: string | RegExp;
  /** A text, or the JSON of a value; with more to say about it as an object of `ScriptedReply`. */
  readonly reply?: string | ScriptedReply;
  /** Thrown instead. */
  readonly error?: Error;
}

/** A reply of a scripted model: a text, a value that is written as JSON, or tool calls. */
export interface ScriptedReply {
  readonly text?: string;
  /** Written as JSON in the place of a text. */
  readonly value?: unknown;
  readonly toolCalls?: readonly ToolCall[];
  /** Default `tool-calls` where there are some, else `stop`. */
  readonly finish?: Finish;
}

/** A model that says given lines in order, and keeps the requests that it was sent. */
export interface ScriptedClient extends ModelClient {
  /** All requests, in order, those that were refused included. */
  readonly requests: readonly ModelRequest[];
  /** How many lines have not been asked for yet. */
  readonly left: number;
}

/**
 * Says the lines in order, each once. It never improvises: a question that does not fit the next line, and one after the
 * last, fail with an error that says what was asked. Its usage is reckoned (characters / 4, rounded up) and says so.
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
    // This function never waits, so that calls at once are answered in the order in which they came.
    async complete(request, { signal, onText, onBeat } = {}) {
      if (signal?.aborted) throw new ModelError('cancelled', 'The call was stopped before it began.');
      checkRequest(request);
      requests.push(request);
      const said = lines[next];
      if (said === undefined) throw improvised(lines.length, `there is none for request ${requests.length}`, request);
      if (!fits(said.when, request)) {
        throw improvised(lines.length, `line ${next + 1} waits for ${String(said.when)}`, request);
      }
      next += 1;
      if (said.error !== undefined) throw said.error;
      const reply = replyOf(said.reply ?? '', request, name);
      onBeat?.();
      if (reply.finish !== 'refusal' && reply.text !== '') onText?.(reply.text);
      return judge(reply, request, name);
    },
  };
}

function replyOf(scripted: string | ScriptedReply, request: ModelRequest, model: string): Omit<ModelReply, 'value'> {
  const { text, value, toolCalls = [], finish } = typeof scripted === 'string' ? { text: scripted } : scripted;
  const written = text ?? (value === undefined ? '' : JSON.stringify(value));
  const usage = reckonUsage(request, written + toolCalls.map((call) => call.arguments).join(''));
  return { text: written, toolCalls, finish: finish ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'), usage, model };
}

function fits(when: string | RegExp | undefined, { messages }: ModelRequest): boolean {
  if (when === undefined) return true;
  const heard = messages.filter((message, index) => message.role === 'system' || index === messages.length - 1);
  // A pattern with the flag g would remember where it was.
  return heard.some(({ content }) => (typeof when === 'string' ? content.includes(when) : content.search(when) >= 0));
}

/** No `ModelError`: nothing that handles failures of models may take a mistake in a script for one of them. */
function improvised(lines: number, why: string, { messages }: ModelRequest): Error {
  const asked = messages.at(-1);
  const many = `${lines} line${lines === 1 ? '' : 's'}`;
  const message = `The scripted model does not improvise: it has ${many}, and ${why}. Asked was (${asked?.role}) ${quote(asked?.content ?? '')}. Give it a line for this.`;
  return Object.assign(new Error(message), { name: 'ScriptError' });
}
