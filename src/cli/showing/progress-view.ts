/** Whatever shows a run while it goes on, and how the views of the run reach it. */

import type { RunView } from '../../follow/index.ts';
import type { NodeView, RunStatus } from '../../contract/index.ts';

/** Shows a run on stderr. */
export interface ProgressView {
  /** How the run stands; the same may be told many times, and is shown once. */
  phase(status: RunStatus): void;
  nodes(nodes: readonly NodeView[], status: RunStatus): void;
  /** A line that stays. */
  note(line: string): void;
  /** The same trouble is told once, until the run answers again. */
  trouble(message: string): void;
  /** While a person is asked nothing is shown; it is when the question is over. */
  hold(held: boolean): void;
  close(): void;
}

/** Takes the views of a run one after the other, and shows of each what is new in it. */
export function showViews(shown: Pick<ProgressView, 'phase' | 'nodes' | 'trouble'>): (view: RunView) => void {
  let before: RunView['nodes'] = [];
  return ({ status, nodes, trouble }) => {
    if (trouble !== undefined) shown.trouble(trouble.message);
    else if (status !== undefined && status.phase !== 'closed') shown.phase(status);
    if (status !== undefined && nodes !== before) shown.nodes(nodes, status);
    if (trouble === undefined && status?.phase === 'closed') shown.phase(status);
    before = nodes;
  };
}
