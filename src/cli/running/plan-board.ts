/** Shows each plan of a run once, before anybody is asked about it. */

import type { CompiledPlan } from '../../plan/index.ts';
import { changesText, openPlanText } from '../plan-text.ts';
import type { Shell } from '../define-command.ts';

export interface PlanBoard {
  has(digest: string): boolean;
  /** Shows the open plan; false if another plan is open by now, which has its own question. */
  show(digest: string, workflowId: string): Promise<boolean>;
}

/** @param known a plan that was already shown */
export function createPlanBoard(
  note: (text: string) => void,
  { output, perform }: Pick<Shell, 'output' | 'perform'>,
  known?: CompiledPlan,
): PlanBoard {
  const seen = new Set(known === undefined ? [] : [known.digest]);
  let before = known;
  const underWay = new Map<string, Promise<boolean>>();
  return {
    has: (digest) => seen.has(digest),
    async show(digest, workflowId) {
      if (seen.has(digest)) return true;
      const showing = underWay.get(digest) ?? look(digest, workflowId);
      underWay.set(digest, showing);
      return showing.finally(() => underWay.delete(digest));
    },
  };

  async function look(digest: string, workflowId: string): Promise<boolean> {
    const shown = await perform('shown', { workflowId });
    if (shown.digest !== digest) return false;
    seen.add(digest);
    const changes = changesText(before, shown.plan, output);
    before = shown.plan ?? before;
    note([openPlanText(shown, output), ...changes].join('\n\n'));
    return true;
  }
}
