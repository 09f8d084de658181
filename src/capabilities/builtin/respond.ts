/**
 * `respond` always exists, so that a list of steps can end in an answer. With a model it answers in prose; without one, and
 * where the model fails, it writes down what the steps before it gave. A project may declare its own of that name.
 */

import { z } from 'zod';
import { cutCharacters, messageOf, oneLine } from '../../plan/text/index.ts';
import type { ModelReply } from '../../models/index.ts';
import { defineCapability, type TaskContext, type TaskInput } from '../index.ts';
import { respondRequest, type WrittenInput } from './respond-prompt.ts';

/** Records of a set that are written out; the rest is counted. */
const SHOWN = 10;
/** Characters of the reason that an apology gives. */
const MAX_REASON = 300;

export const respond = defineCapability({
  name: 'respond',
  description: 'Answers the person from the results of the steps before it, from what was said, or in general.',
  input: z.looseObject({}),
  output: 'text',
  effect: 'read',
  async execute(given) {
    const inputs = await Promise.all(given.inputs.map(written));
    const plain = [given.task, ...inputs.map(({ name, content }) => `${name}: ${content}`)].join('\n\n');
    if (given.model === undefined) return plain;
    const answer = await answered(given, given.model, inputs);
    return answer.ok ? answer.text : apology(answer.reason, plain);
  },
});

type Answered = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** Osprey: respond. A model that fails must not take the results with it, all of which are there. */
async function answered(
  given: TaskContext<unknown>,
  model: NonNullable<TaskContext<unknown>['model']>,
  inputs: readonly WrittenInput[],
): Promise<Answered> {
  try {
    return textOf(await model(respondRequest({ ...given, inputs })));
  } catch (error) {
    // A person who cancels wants no answer, and an attempt that was given up is made again.
    if (given.signal.aborted) throw error;
    return { ok: false, reason: messageOf(error) };
  }
}

function textOf({ text, finish }: ModelReply): Answered {
  if (finish === 'refusal' || finish === 'content-filter') return { ok: false, reason: `the reply was a ${finish}` };
  if (text.trim() === '') return { ok: false, reason: 'the reply was empty' };
  // The text was paid for, even if it was cut off, and the answer says which it is.
  return {
    ok: true,
    text: finish === 'length' ? `${text}…\n\n(The answer was cut off: it has the length that is set.)` : text,
  };
}

function apology(reason: string, plain: string): string {
  const why = cutCharacters(oneLine(reason), MAX_REASON);
  return `I am sorry: the model that was to write this answer gave none (${why}). This is what there is.\n\n${plain}`;
}

async function written(input: TaskInput): Promise<WrittenInput> {
  return { name: input.name, content: await contentOf(input) };
}

async function contentOf(input: TaskInput): Promise<string> {
  const result = await input.read();
  switch (result.kind) {
    case 'text':
      return result.text;
    case 'value':
      return JSON.stringify(result.value);
    case 'set': {
      const { ids } = result.set;
      const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
      return `${ids.length} records${ids.length > 0 ? `, ${ids.slice(0, SHOWN).join(', ')}${more}` : ''}`;
    }
  }
}
