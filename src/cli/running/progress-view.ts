/** The output of `run`: a line for each change, and on a terminal the plan, redrawn in place. */

import { outlineLines } from '../../plan/lines/index.ts';
import { outlineOf, type CompiledPlan } from '../../plan/index.ts';
import type { NodeStatus, RunStatus, RunView } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { changeText, createLive, hasPictureRoom, type Change, type Live, type Picture } from '../view/index.ts';
import { entryOfNode } from '../../operations/words/index.ts';

const NOT_TOLD: ReadonlySet<Change['change']> = new Set(['attempt', 'open', 'over']);
/** Reported when it has ended. */
const UNENDED: readonly NodeStatus[] = ['pending', 'running', 'waiting'];

/**
 * While a goal becomes a plan there is no tree to draw.
 * @param onChange gets each change, and reports those that wait for a person
 */
export function progressView(
  plan: CompiledPlan | undefined,
  output: Output,
  onChange: (change: Change) => void = () => {},
): Live {
  const hasTree = output.canRedraw && plan !== undefined && hasPictureRoom();
  const live = createLive(output, report, hasTree ? treeOf(plan, output) : undefined);
  let [revision, ended] = [1, 0];
  return live;

  function report(change: Change, { status }: RunView): void {
    if (status !== undefined && status.revision > revision) [revision, ended] = [status.revision, 0];
    onChange(change);
    if (!isTold(change, status)) return;
    const prefix = change.change === 'node' ? `[${(ended += 1)}/${status?.counts.total ?? ended}] ` : '';
    live.note(changeText(change, { ...output, status, prefix }));
  }

  /** The tree shows the progress of the first plan; other plans are reported in lines. */
  function isTold(change: Change, status: RunStatus | undefined): boolean {
    const isDrawn = hasTree && revision === 1;
    if (change.change === 'node') return !isDrawn && !UNENDED.includes(change.status);
    if (change.change !== 'phase') return !NOT_TOLD.has(change.change);
    const { phase } = change;
    return status?.planning === undefined && !(isDrawn && (phase === 'running' || phase === 'closed'));
  }
}

/** The first plan, folded if large, once it has started. */
function treeOf(plan: CompiledPlan, { paint }: Output): Picture {
  return ({ status, nodes }, { width, most }) => {
    if (status === undefined || status.revision > 1 || status.counts.pending === status.counts.total) return [];
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const more = (id: string) => {
      const node = byId.get(id);
      if (node === undefined) return { standing: 'pending' } as const;
      const { title: _, takes: __, ms, ...entry } = entryOfNode(node);
      // The lines about now show the running time.
      return { ...entry, ...(node.endedAt !== undefined && ms !== undefined && { ms }) };
    };
    return outlineLines(outlineOf(plan, { words: 'none', more }), { width, paint, single: true, most });
  };
}
