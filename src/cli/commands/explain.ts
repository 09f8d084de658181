/** `planwright explain`: a plan in words, offline. */

import { visible, wrap } from '../../language/text/index.ts';
import { defineCommand } from '../define-command.ts';
import { text } from '../options.ts';
import { PLAN_FILE, PROJECT } from './tables.ts';

export const explainCommand = defineCommand({
  name: 'explain',
  description: 'say in words what a plan gives and what each of its nodes does; needs no server',
  examples: ['planwright explain plan.json --config planwright.config.ts'],
  arguments: PLAN_FILE,
  flags: {
    config: text('<file>', 'with what carries each node out in this project, and what that does to the world'),
    demo: PROJECT.demo,
  },
  operation: 'explain',
  async input({ file, config, demo }) {
    const { readSource } = await import('../reading/index.ts');
    // Only a project that is named: what a plan means does not depend on the folder it is read in.
    return { ...(await readSource(file)), resolve: (config ?? demo) !== undefined };
  },
  hides: ['plan', 'executors', 'warnings'],
  async show({ goal, sentence, plan, executors }, { output: { columns } }) {
    const { toldNodes } = await import('../plan-text.ts');
    return [visible(goal), '', ...wrap(sentence, columns), '', ...toldNodes(plan, executors, columns)].join('\n');
  },
  lines: ['nodes'],
});
