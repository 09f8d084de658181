/** The plans of a run that have been shown: each is shown once, before anybody is asked about it. */

import type { RunHandle } from '../../../edge/client/index.ts';
import type { NodeView } from '../../../wire/contract/index.ts';
import type { Session } from '../../../edge/project/index.ts';
import type { Output } from '../../terminal/index.ts';
import { openPlanText } from '../../showing/index.ts';

export interface PlanBoard {
  /** Whether it has been shown. */
  has(digest: string): boolean;
  /** Shows the open plan of a run; false where it is another one by now, which is open by itself. */
  show(digest: string, of: RunHandle): Promise<boolean>;
}

/** @param known the digest of a plan that was shown before */
export function createPlanBoard(
  note: (text: string) => void,
  { store }: Pick<Session, 'store'>,
  output: Output,
  known?: string,
): PlanBoard {
  const shown = new Set(known === undefined ? [] : [known]);
  const underWay = new Map<string, Promise<boolean>>();
  return {
    has: (digest) => shown.has(digest),
    async show(digest, of) {
      if (shown.has(digest)) return true;
      const showing = underWay.get(digest) ?? look(digest, of);
      underWay.set(digest, showing);
      return showing.finally(() => underWay.delete(digest));
    },
  };

  async function look(digest: string, of: RunHandle): Promise<boolean> {
    const view = await of.plan();
    if (view.digest !== digest) return false;
    const nodes: NodeView[] = [];
    for await (const node of of.nodes()) nodes.push(node);
    const text = await openPlanText(store, view, nodes, output);
    shown.add(digest);
    note(text);
    return true;
  }
}
