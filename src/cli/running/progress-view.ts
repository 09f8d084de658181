/** A run while it goes on: a line for each thing that happens, and on a terminal its plan and what it is at, drawn again in place. */

import { outlineLines } from '../../plan/lines/index.ts';
import { outlineOf, type CompiledPlan } from '../../plan/index.ts';
import type { RunStatus } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { createLive, createVoice, hasPictureRoom, lineView, type Picture, type ProgressView } from '../view/index.ts';
import { entryOfNode } from '../../operations/words/index.ts';

/** Without a plan, as while a goal becomes one, there is no tree to draw. */
export function progressView(plan: CompiledPlan | undefined, output: Output): ProgressView {
  const hasTree = output.canRedraw && plan !== undefined && hasPictureRoom();
  const live = createLive(output, hasTree ? treeOf(plan, output) : undefined);
  const voice = createVoice((line) => live.above(() => output.note(line)));
  // The tree of the first plan shows its progress and its end; another plan is told in lines.
  const isTold = hasTree
    ? ({ revision, phase }: RunStatus) => revision > 1 || (phase !== 'running' && phase !== 'closed')
    : () => true;
  const lines = lineView(output, voice, isTold);
  return {
    ...lines,
    now: live.show,
    nodes(nodes, status) {
      if (!hasTree || status.revision > 1) lines.nodes(nodes, status);
    },
    hold(held) {
      if (held) live.hold(true);
      voice.hold(held);
      if (!held) live.hold(false);
    },
    close() {
      live.close();
      lines.close();
    },
  };
}

/** The first plan, a large one folded, once something of it has begun. */
function treeOf(plan: CompiledPlan, { paint }: Output): Picture {
  return ({ status, nodes }, { width, most }) => {
    if (status === undefined || status.revision > 1 || status.counts.pending === status.counts.total) return [];
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const more = (id: string) => {
      const node = byId.get(id);
      if (node === undefined) return { standing: 'pending' } as const;
      const { title: _, takes: __, ms, ...entry } = entryOfNode(node);
      // Time that goes on stands in the lines about now.
      return { ...entry, ...(node.endedAt !== undefined && ms !== undefined && { ms }) };
    };
    return outlineLines(outlineOf(plan, { words: 'none', more }), { width, paint, single: true, most });
  };
}
