/** `planwright control`: an operator's word to a run. */

import { CONTROL_ACTIONS } from '../../wire/contract/index.ts';
import { defineCommand } from '../define-command.ts';
import { text } from '../options.ts';
import { eitherOf, SPEAKER } from './tables.ts';

export const controlCommand = defineCommand({
  name: 'control',
  description: `steer a run: ${CONTROL_ACTIONS.join(', ')}`,
  examples: ['planwright control plan-1 retry-node node_3 --by operator'],
  arguments: {
    workflowId: 'the run',
    action: eitherOf(CONTROL_ACTIONS),
    'node?': 'the node it is about, by id or key',
  },
  flags: {
    outcome: text('<outcome>', 'with resolve: succeeded or failed'),
    value: text('<json>', 'with resolve --outcome succeeded: the result of the node; a set is the list of its ids'),
    digest: text('<digest>', 'the plan that the node is meant in; its first 8 digits suffice'),
    ...SPEAKER,
  },
  operation: 'control',
  async input({ workflowId, action, node, outcome, value, digest, ...rest }) {
    const { readJsonWord, speakerOf } = await import('../reading/index.ts');
    const read = value === undefined ? undefined : readJsonWord('--value', value, `'["id1","id2"]' or '"a text"'`);
    return { workflowId, action, node, outcome, value: read, digest, ...speakerOf(rest) };
  },
  show: ({ workflowId, reply }) => `${workflowId}: ${reply}`,
});
