/** Work under way has landed: the result of an activity, or its failure, takes effect. */

import type { Work } from './state.ts';
import { isHeld, addUsage } from '../../protocol/index.ts';
import { childEnded } from './family.ts';
import { landDraft, landPlanning } from './draft.ts';
import { endFault, endsFault, heldInVain, holdForFault, holdWork, isRunsOwn } from './held.ts';
import { landDefault, landMessage } from './land-message.ts';
import { landNode, landUnused } from './land-node.ts';
import { isGivenBack, type Landing } from './landing.ts';
import { landDecision } from '../loop/rounds.ts';
import { leavePart } from './parts.ts';
import { landReport } from './report.ts';
import type { Run } from './run.ts';
import { learnProject } from './starter.ts';
import { keepHeld, paidFor, settleWork } from './spending/spend.ts';
import type { Verify } from './talk/authenticate.ts';

/** @param at now, ISO 8601 */
export function land(run: Run, id: number, landing: Landing, at: string, verify: Verify): void {
  const work = run.work[id];
  if (work === undefined) return;
  const held = landing.ok && isHeld(landing.value) ? landing.value : undefined;
  const isOfVersion = held?.by === 'version' && isRunsOwn(work);
  if (held?.by === 'fault' || held?.by === 'model' || (held !== undefined && isOfVersion)) holdForFault(run, held, at);
  else if (held === undefined && landing.ok && !isGivenBack(landing.value) && endsFault(run, work)) endFault(run, at);
  if (held === undefined || work.kind === 'node' || work.kind === 'unused') takeIn(run, id, work, landing, at, verify);
  else {
    if (held.by === 'budget') keepHeld(run, id, work, held);
    if (!holdWork(run, work, held, at)) takeIn(run, id, work, heldInVain(held), at, verify);
  }
}

function takeIn(run: Run, id: number, work: Work, landing: Landing, at: string, verify: Verify): void {
  settleWork(run, id, work, landing);
  run.dialogue.usage = addUsage(run.dialogue.usage, paidFor(run, id, landing));
  delete run.work[id];
  childEnded(run, id);
  if ('part' in work) leavePart(run, work);
  if (!learnProject(run, work, landing, verify)) return;
  switch (work.kind) {
    case 'draft':
      landDraft(run, landing, at);
      break;
    case 'plan':
      landPlanning(run, landing, at);
      break;
    case 'report':
      landReport(run, landing);
      break;
    case 'decide':
      landDecision(run, landing, at);
      break;
    case 'node':
      landNode(run, work, landing, at);
      break;
    case 'unused':
      landUnused(run, work, landing, at);
      break;
    case 'message':
      landMessage(run, work, landing, at, verify);
      break;
    case 'default':
      landDefault(run, work, landing, at);
      break;
  }
}
