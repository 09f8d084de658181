/** Whatever shows a run while it goes on, and how the views of the run reach it. */

import type { RunView, ToldStep } from '../../edge/client/follow/index.ts';
import type { NodeView, RunStatus } from '../../wire/contract/index.ts';

/** Shows a run on stderr. */
export interface ProgressView {
  /** How the run stands; the same may be told many times, and is shown once. */
  phase(status: RunStatus): void;
  nodes(nodes: readonly NodeView[], status: RunStatus): void;
  /** A line that the planner's model has written of the plan under way. */
  written(line: string): void;
  /** A step that was decided by a model, or what came of one. */
  step(told: ToldStep): void;
  /** A line that stays. */
  note(line: string): void;
  /** The same trouble is told once, until the run answers again. */
  trouble(message: string): void;
  /** How everything stands now; on a terminal it is drawn until the next view comes. */
  now(view: RunView): void;
  /** While a person is asked nothing is shown; it is when the question is over. */
  hold(held: boolean): void;
  close(): void;
}

/** Takes the views of a run one after the other, and shows of each what is new in it. */
export function showViews(
  shown: Pick<ProgressView, 'phase' | 'nodes' | 'written' | 'step' | 'trouble' | 'now'>,
): (view: RunView) => void {
  let before: RunView['nodes'] = [];
  let feedback: RunView['feedback'] = [];
  let steps = 0;
  return (view) => {
    const { status, nodes, trouble } = view;
    if (trouble !== undefined) shown.trouble(trouble.message);
    else if (status !== undefined && status.phase !== 'closed') shown.phase(status);
    // The list holds the last lines only, so that its beginning goes while its end grows.
    for (const line of view.feedback) if (!feedback.includes(line)) shown.written(line);
    ({ feedback } = view);
    for (const one of view.steps.slice(steps)) shown.step(one);
    steps = view.steps.length;
    if (status !== undefined && nodes !== before) shown.nodes(nodes, status);
    if (trouble === undefined && status?.phase === 'closed') shown.phase(status);
    before = nodes;
    shown.now(view);
  };
}
