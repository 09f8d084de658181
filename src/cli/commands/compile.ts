/** `planwright compile`: offline, and without a project unless one is named. */

import { visible } from '../../language/text/index.ts';
import { defineCommand } from '../define-command.ts';
import { choiceOr, count, names, text } from '../options.ts';
import { PLAN_FILE } from './tables.ts';

export const compileCommand = defineCommand({
  name: 'compile',
  description: 'check a plan document and show the plan; needs no server',
  examples: ['planwright compile plan.json -o json'],
  arguments: PLAN_FILE,
  flags: {
    format: choiceOr('auto', '<format>', 'auto, tree, steps or xml', ['auto', 'tree', 'steps', 'xml']),
    agents: names('<names>', 'known agents, with commas between'),
    capabilities: names('<names>', 'known capabilities, with commas between'),
    contextKeys: names('<keys>', 'keys that a step list may take from outside, with commas between'),
    maxDepth: count('levels a plan may have (default 10000)'),
    maxNodes: count('nodes a plan may have (default 200000)'),
    config: text('<file>', 'resolve every task against this planwright.config.ts'),
  },
  operation: 'compile',
  async input({ file, format, agents, capabilities, contextKeys, maxDepth: depth, maxNodes: nodes, config }) {
    const { readSource } = await import('../reading/index.ts');
    const limits = { ...(depth !== undefined && { depth }), ...(nodes !== undefined && { nodes }) };
    const resolve = config !== undefined;
    return { ...(await readSource(file)), format, agents, capabilities, contextKeys, limits, resolve };
  },
  hides: ['seen'],
  async show({ plan, executors }, { output: { columns } }) {
    const { planText } = await import('../plan-text.ts');
    return `${visible(plan.goal)}\n\n${planText(plan, { ...(executors && { executors }) }, { columns })}`;
  },
  notes: ({ seen }) => seen.map((warning) => `warning: ${visible(warning)}`),
});
