/** The subject of the next deadline, for the timer that stands for it in Temporal's Web UI. */

import { nodeId } from '../../protocol/index.ts';
import { clockText, cutBytes, cutCharacters, visible } from '../../plan/text/index.ts';
import type { Execution, Run } from '../run/in-memory.ts';
import { openings, rolesOf, type Opening } from './openings.ts';

/**
 * The server refuses a summary above 400 bytes, and a run that sends one can do nothing else any more. It counts them
 * as JSON, where a quote takes two.
 * @bound the summary of the timer of a run
 * @beyond cut; the query `questions` has all
 */
const MAX_BYTES = 180;
/**
 * @bound {characters} the roles in the summary of the timer of a run
 * @beyond cut
 */
const MAX_ROLES = 40;
/**
 * @bound {characters} the fault in the summary of the timer of a run
 * @beyond cut
 */
const MAX_FAULT = 40;

/**
 * Whom and what the run waits for until `due`, the nearest deadline first, in at most 180 bytes of UTF-8:
 * `the answer to node_2 (Ask for the offset) by operator, until 2026-01-02 03:04:05Z`.
 */
export function awaited(run: Run, due: string): string {
  let nearest: Opening | undefined;
  let count = 0;
  for (const opening of openings(run)) {
    count += 1;
    if (nearest === undefined || opening.deadline < nearest.deadline) nearest = opening;
  }
  const until = `until ${clockText(due)}`;
  if (nearest === undefined) return `what is under way, ${until}`;
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return cutBytes(visible(`${subjectOf(run, nearest)}${byWhom(run, nearest)}${more}, ${until}`), MAX_BYTES);
}

function subjectOf({ execution, dialogue }: Run, opening: Opening): string {
  switch (opening.kind) {
    case 'approval':
      return dialogue.approval.rejected ? 'an edit of the rejected plan' : 'a decision on the plan';
    case 'question': {
      const { node, id } = opening.asked;
      return `the answer to ${node < 0 ? id : titleOf(execution, node)}`;
    }
    case 'settling': {
      const isUncertain = execution?.progress.status[opening.node] === 'uncertain';
      return `${isUncertain ? 'whether this happened' : 'what becomes of'}: ${titleOf(execution, opening.node)}`;
    }
    case 'budget':
      return 'a word on the budget, which is spent';
    case 'fault':
      return `what becomes of the run that waits for ${cutCharacters(dialogue.fault?.reason ?? '', MAX_FAULT)}`;
  }
}

function titleOf(execution: Execution | undefined, node: number): string {
  const summary = execution?.slice.summaries[node] ?? '';
  return summary === '' ? nodeId(node) : `${nodeId(node)} (${summary})`;
}

function byWhom(run: Run, opening: Opening): string {
  const roles = rolesOf(run, opening);
  return roles === undefined ? '' : ` by ${cutCharacters(roles.join(' or '), MAX_ROLES)}`;
}
