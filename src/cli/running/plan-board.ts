/** Shows each plan of a run once, before anybody is asked about it. */

import type { CompiledPlan } from '../../plan/index.ts';
import { changesText, openPlanText } from '../plan-text.ts';
import type { Shell } from '../define-command.ts';

export interface PlanBoard {
  has(digest: string): boolean;
  /** Shows the open plan; false if another plan is open by now, which has its own question. */
  show(digest: string, workflowId: string): Promise<boolean>;
}

/** @param shownBefore a plan that was already shown */
export function createPlanBoard(
  note: (text: string) => void,
  { output, perform }: Pick<Shell, 'output' | 'perform'>,
  shownBefore?: CompiledPlan,
): PlanBoard {
  const digests = new Set(shownBefore === undefined ? [] : [shownBefore.digest]);
  let before = shownBefore;
  const underWay = new Map<string, Promise<boolean>>();
  return {
    has: (digest) => digests.has(digest),
    async show(digest, workflowId) {
      if (digests.has(digest)) return true;
      const showing = underWay.get(digest) ?? look(digest, workflowId);
      underWay.set(digest, showing);
      return showing.finally(() => underWay.delete(digest));
    },
  };

  async function look(digest: string, workflowId: string): Promise<boolean> {
    const open = await perform('shown', { workflowId });
    if (open.digest !== digest) return false;
    digests.add(digest);
    const changes = changesText(before, open.plan, output);
    before = open.plan ?? before;
    note([openPlanText(open, output), ...changes].join('\n\n'));
    return true;
  }
}
