/** How `planwright approve`, `reject` and `decide` are typed. */

import { Command } from 'commander';
import { DECISION_KINDS } from '../../wire/contract/index.ts';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { choice, count, names, text } from '../options/index.ts';
import { eitherOf, PROJECT, SPEAKER } from './tables.ts';

const DIGEST = text('<digest>', 'digest of the plan that is decided; its first 8 digits suffice');

export function approveCommand(): Command {
  const command = decision('approve', 'approve exactly the plan that a run shows');
  example(command, 'planwright approve plan-1 --digest 3fa9c1d2 --by reviewer');
  const nodes = names('<ids>', 'only these nodes and what they depend on, by id or key');
  return act(command, { digest: DIGEST, nodes, ...SPEAKER }, ACTIONS.approve);
}

export function rejectCommand(): Command {
  const command = decision('reject', 'reject the plan that a run shows, which ends the run or asks for an edit');
  example(command, 'planwright reject plan-1 --digest 3fa9c1d2 --by reviewer');
  return act(command, { digest: DIGEST, ...SPEAKER }, ACTIONS.reject);
}

export function decideCommand(): Command {
  const command = decision('decide', 'decide on the plan that a run shows, in any way that there is');
  example(command, 'planwright decide plan-1 --kind edit --digest 3fa9c1d2 --plan better.json --by reviewer');
  const table = {
    digest: DIGEST,
    kind: choice('<kind>', eitherOf(DECISION_KINDS), DECISION_KINDS),
    say: text('<text>', 'in place of --kind: yes or no in words, as they come from a chat'),
    nodes: names('<ids>', 'with approve-part: these nodes and what they depend on'),
    plan: text('<file>', 'with edit: the plan that takes the place of the open one, or - for standard input'),
    feedback: text('<text>', 'with revise: what another plan should do better'),
    revision: count('the revision that is decided, beside its digest'),
    ...SPEAKER,
    ...PROJECT,
  };
  return act(command, table, ACTIONS.decide);
}

function decision(name: string, description: string): Command {
  return new Command(name).description(description).argument('<workflow-id>', 'the run');
}
