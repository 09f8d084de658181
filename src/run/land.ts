/** Work under way has landed: what an activity brought, or how it failed, takes its effect. */

import { landDraft, landPlanning } from './draft.ts';
import { landDefault, landMessage } from './land-message.ts';
import { landNode, landUnused } from './land-node.ts';
import type { Landing } from './landing.ts';
import { landDecision } from './loop/index.ts';
import { landReport } from './report.ts';
import type { Run } from './run.ts';
import type { Verify } from './talk/index.ts';

/** @param at now, ISO 8601 */
export function land(run: Run, id: number, landing: Landing, at: string, verify: Verify): void {
  const work = run.work.get(id);
  if (work === undefined) return;
  run.work.delete(id);
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
