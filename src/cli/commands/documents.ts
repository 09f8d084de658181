/** `planwright compile`, `explain` and `diff` in text; `schema`. */

import { wrap } from '../../plan/lines/index.ts';
import { visible } from '../../plan/text/index.ts';
import { defineCommand } from '../define-command.ts';
import type { View } from '../row-command.ts';

const seenLines = ({ seen }: { readonly seen: readonly string[] }) => seen.map((one) => `warning: ${visible(one)}`);

export const compileView: View<'compile'> = {
  hides: ['seen'],
  async show({ plan, executors }, { output: { columns } }) {
    const { goalText, planText } = await import('../plan-text.ts');
    return `${goalText(plan.goal, columns)}\n\n${planText(plan, { ...(executors && { executors }) }, { columns })}`;
  },
  notes: seenLines,
};

export const explainView: View<'explain'> = {
  hides: ['plan', 'executors', 'warnings', 'seen'],
  async show({ goal, sentence, plan, executors }, { output: { columns } }) {
    const { goalText, toldNodes } = await import('../plan-text.ts');
    const nodes = toldNodes(plan, executors, columns);
    return [goalText(goal, columns), '', ...wrap(sentence, columns), '', ...nodes].join('\n');
  },
  notes: seenLines,
  lines: ['nodes'],
};

export const diffView: View<'diff'> = {
  hides: ['text', 'warnings'],
  show: ({ same, after, text: changes }) => (same ? `one plan, digest ${after}` : changes),
  exit: ({ same }) => (same ? 'done' : 'badOutcome'),
};

export const schemaCommand = defineCommand({
  name: 'schema',
  description: 'print the JSON schema (draft-07) of plan documents, for editors',
  examples: ['planwright schema > plan.schema.json'],
  async run(_typed, { output, perform }) {
    const schema = await perform('schema', {});
    // It is the answer in every format, so that it can be written to a file as it stands.
    output.print(schema, () => JSON.stringify(schema, null, 2));
    return 'done';
  },
});
