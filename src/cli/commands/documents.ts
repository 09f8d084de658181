/** `planwright compile`, `explain`, `diff`, `graph` and `schema` in text. */

import { wrap } from '../../plan/lines/index.ts';
import { visible } from '../../plan/text/index.ts';
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

export const graphView: View<'graph'> = {
  hides: ['warnings', 'limits'],
  show: ({ text }) => text,
  notes: (drawn) => ('limits' in drawn && drawn.limits !== undefined ? [`note: ${drawn.limits}`] : []),
};

/** It is the answer in every format, so that it can be written to a file as it stands. */
export const schemaView: View<'schema'> = { isBare: true, show: (schema) => JSON.stringify(schema, null, 2) };
