/** `planwright diff`: two plans compared, offline. */

import { OperationError } from '../../operations/index.ts';
import { defineCommand } from '../define-command.ts';
import { PLAN_FILE } from './tables.ts';

export const diffCommand = defineCommand({
  name: 'diff',
  summary: 'compare two plans',
  description: 'compare two plans by what their nodes mean; exits 0 when they are one plan, 1 when they differ',
  examples: ['planwright diff plan.json edited.json'],
  arguments: { before: PLAN_FILE.file, after: PLAN_FILE.file },
  operation: 'diff',
  async input({ before, after }, { output }) {
    if (before === '-' && after === '-')
      throw new OperationError('USAGE', 'standard input can be one of the two plans, not both');
    const { readSource } = await import('../reading/index.ts');
    return { before: await readSource(before), after: await readSource(after), width: output.columns };
  },
  hides: ['text', 'warnings'],
  show: ({ same, after, text }) => (same ? `one plan, digest ${after}` : text),
  exit: ({ same }) => (same ? 'done' : 'badOutcome'),
});
