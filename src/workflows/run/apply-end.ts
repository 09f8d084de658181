/** Work under way has ended: the result of an activity, or its failure, takes effect. */

import type { Work } from './work-state.ts';
import { isHeld, addUsage } from '../../protocol/index.ts';
import { childEnded } from './agents.ts';
import { endOfNode, endsSeen } from './agent-ends.ts';
import { applyDraft, applyPlanning } from './draft.ts';
import { endDrained } from './drain.ts';
import { endFault, endsFault, heldByLoss, heldInVain, holdForFault, holdWork, isRunsOwn } from './held.ts';
import { applyNode, applyUnused } from './apply-node.ts';
import { isGivenBack, type WorkEnd } from './work-end.ts';
import { applyStep } from '../loop/rounds.ts';
import { leavePart } from './parts.ts';
import { applyReport } from './report.ts';
import type { Run } from './in-memory.ts';
import { deferForRules, learnProject } from './starter.ts';
import { keepHeld, paidFor, settleWork } from './spending/spend.ts';
import { endDefault } from './talk/apply.ts';
import type { Verify } from './talk/authenticate.ts';
import { endRequest } from './talk/inbox.ts';

/** @param at now, ISO 8601 */
export function applyEnd(run: Run, id: number, came: WorkEnd, at: string, verify: Verify): void {
  const work = run.work[id];
  if (work === undefined) return;
  const ended = deferForRules(run, work, came, at);
  const drained = endDrained(run, id, work, ended);
  if (drained !== undefined) {
    if (drained !== 'waits') takeIn(run, id, work, drained, at, verify);
    return;
  }
  const held = ended.ok ? (isHeld(ended.value) ? ended.value : undefined) : heldByLoss(run, work, ended);
  const isOfVersion = (held?.by === 'version' || held?.by === 'worker') && isRunsOwn(work);
  if (held?.by === 'fault' || held?.by === 'model' || (held !== undefined && isOfVersion)) holdForFault(run, held, at);
  else if (held === undefined && ended.ok && !isGivenBack(ended.value) && endsFault(run, work)) endFault(run, at);
  if (held === undefined || work.kind === 'node' || work.kind === 'unused') takeIn(run, id, work, ended, at, verify);
  else {
    if (held.by === 'budget') keepHeld(run, id, work, held);
    if (!holdWork(run, work, held, at)) takeIn(run, id, work, heldInVain(held), at, verify);
  }
}

function takeIn(run: Run, id: number, work: Work, end: WorkEnd, at: string, verify: Verify): void {
  const ended = endOfNode(run, id, end);
  settleWork(run, id, work, ended);
  run.dialogue.usage = addUsage(run.dialogue.usage, paidFor(run, id, ended));
  delete run.work[id];
  childEnded(run, id);
  if ('part' in work) leavePart(run, work);
  if (!learnProject(run, work, ended, verify)) return;
  switch (work.kind) {
    case 'draft':
      applyDraft(run, ended, at);
      break;
    case 'plan':
      applyPlanning(run, ended, at);
      break;
    case 'report':
      applyReport(run, ended);
      break;
    case 'decide':
      applyStep(run, ended, at);
      break;
    case 'node':
      applyNode(run, work, ended, at);
      break;
    case 'unused':
      applyUnused(run, work, ended, at);
      break;
    case 'look':
      for (const [agent, seen] of endsSeen(run, ended, at)) applyEnd(run, agent, seen, at, verify);
      break;
    case 'message':
      endRequest(run, work, ended, at, verify);
      break;
    case 'default':
      endDefault(run, work, ended, at);
      break;
  }
}
