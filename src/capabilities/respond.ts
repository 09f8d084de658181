/**
 * `respond` always exists, so that a list of steps can end in an answer without a model. This one writes down what the
 * steps before it gave; a project that wants prose declares its own capability of that name.
 */

import { z } from 'zod';
import { defineCapability, type TaskInput } from './capability.ts';

/** Records of a set that are written out; the rest is counted. */
const SHOWN = 10;

export const respond = defineCapability({
  name: 'respond',
  description: 'The results of the steps before it, written down.',
  input: z.looseObject({}),
  output: 'text',
  effect: 'read',
  async execute({ task, inputs }) {
    const paragraphs = await Promise.all(inputs.map(written));
    return [task, ...paragraphs].join('\n\n');
  },
});

async function written(input: TaskInput): Promise<string> {
  const result = await input.read();
  switch (result.kind) {
    case 'text':
      return `${input.name}: ${result.text}`;
    case 'value':
      return `${input.name}: ${JSON.stringify(result.value)}`;
    case 'set': {
      const { ids } = result.set;
      const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
      return `${input.name}: ${ids.length} records${ids.length > 0 ? `, ${ids.slice(0, SHOWN).join(', ')}${more}` : ''}`;
    }
  }
}
