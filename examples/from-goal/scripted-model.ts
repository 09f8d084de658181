/**
 * A double of a model that lives in a worker: what it says follows from what it is asked, so that the worker that comes after
 * a killed one goes on where that one was. It never improvises.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { scriptedClient, type ModelClient, type ModelRequest, type ScriptedReply } from 'planwright';
import { quote } from '../words.ts';
import { askedIn, type Asked } from './asked.ts';

/** One reply, and the request that it is for: every field that is given must be as it is asked. */
export interface ScriptedAnswer {
  readonly to: Partial<Omit<Asked, 'last'>>;
  readonly reply: ScriptedReply;
}

/**
 * Exactly one answer must fit what is asked. `paceMs` is for the eye: a reply takes about that long, and one that is a list of
 * nodes comes node by node.
 */
export function scriptedModel(answers: readonly ScriptedAnswer[], paceMs: number): ModelClient {
  return {
    name: 'scripted',
    async complete(request, { onText, ...options } = {}) {
      const reply = replyTo(request, answers);
      const pieces = textOf(reply).split(/(?=\{"id":)/);
      for (const piece of pieces) {
        await pause(pieces.length > 1 ? paceMs / 4 : paceMs / 2, undefined, { signal: options.signal });
        if (piece !== '') onText?.(piece);
      }
      return scriptedClient([{ reply }]).complete(request, options);
    },
  };
}

function replyTo(request: ModelRequest, answers: readonly ScriptedAnswer[]): ScriptedReply {
  const asked = askedIn(request);
  const [found, ...others] = answers.filter(({ to }) =>
    Object.entries(to).every(([field, value]) => asked[field as keyof Asked] === value),
  );
  if (found !== undefined && others.length === 0) return found.reply;
  const { last, ...what } = asked;
  const many = found === undefined ? 'none' : `${others.length + 1}`;
  const message = `The scripted model does not improvise: ${many} of its ${answers.length} answers fit ${JSON.stringify(what)}, which ends with ${quote(last)}. Give it one answer for this.`;
  throw Object.assign(new Error(message), { name: 'ScriptError' });
}

function textOf({ text, value }: ScriptedReply): string {
  return text ?? (value === undefined ? '' : JSON.stringify(value));
}

/** The call of a tool, as a reply. */
export function calling(name: string, args: Readonly<Record<string, unknown>>): ScriptedReply {
  return { toolCalls: [{ id: 'call', name, arguments: JSON.stringify(args) }] };
}
