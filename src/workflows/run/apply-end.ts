/** Applies the end of work: the result of an activity, or its failure. */

import type { Work } from './work-state.ts';
import { isDeferral, addUsage } from '../../protocol/index.ts';
import { childEnded } from './agents.ts';
import { endOfNode, endsSeen } from './agent-ends.ts';
import { applyDraft, applyPlanning } from './draft.ts';
import { endDrained } from './drain.ts';
import { backOff, backOffRun, deferralByLoss, noteSuccess } from './backoff.ts';
import { endInVain } from './backoff-causes.ts';
import { applyNode, applyUnused } from './apply-node.ts';
import { isGivenBack, type WorkEnd } from './work-end.ts';
import { applyStep } from '../loop/rounds.ts';
import { leavePart } from './parts.ts';
import { applyReport } from './report.ts';
import type { Run } from './in-memory.ts';
import { deferForRules, learnProject } from './starter.ts';
import { keepReserved, paidFor, settleWork } from './spending/spend.ts';
import { endDefault } from './talk/apply.ts';
import type { Verify } from './talk/authenticate.ts';
import { endRequest } from './talk/inbox.ts';
import { replaceWork } from './work.ts';

/** @param at now, ISO 8601 */
export function applyEnd(run: Run, id: number, came: WorkEnd, at: string, verify: Verify): void {
  const work = run.work[id];
  if (work === undefined) return;
  const ended = deferForRules(run, work, came, at);
  const drained = endDrained(run, id, work, ended);
  if (drained !== undefined) {
    if (drained !== 'deferred') takeIn(run, id, work, drained, at, verify);
    return;
  }
  const deferral = ended.ok && isDeferral(ended.value) ? ended.value : deferralByLoss(run, work, ended);
  if (deferral === undefined || work.kind === 'node' || work.kind === 'unused') {
    if (deferral?.deferred === 'fault') backOffRun(run, deferral, at);
    else if (deferral === undefined && ended.ok && !isGivenBack(ended.value)) noteSuccess(run, work, at);
    takeIn(run, id, work, ended, at, verify);
    return;
  }
  if (deferral.deferred === 'budget') keepReserved(run, id, work, deferral.usage);
  if (!backOff(run, work, deferral, at)) takeIn(run, id, work, endInVain(deferral), at, verify);
}

function takeIn(run: Run, id: number, work: Work, end: WorkEnd, at: string, verify: Verify): void {
  const ended = endOfNode(run, id, end);
  settleWork(run, id, work, ended);
  run.dialogue.usage = addUsage(run.dialogue.usage, paidFor(run, id, ended));
  replaceWork(run, id);
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
