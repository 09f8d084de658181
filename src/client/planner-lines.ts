/**
 * The lines that a model writes of a plan: the server forgets the last lines with the work that reported them, and the plan
 * has them.
 */

import { PLAN_LINE_CHARACTERS, type NodeView, type RunStatus } from '../protocol/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import type { RunHandle } from './run-handle.ts';

/**
 * Asks the server alone, and only while the planner is at work; once there is a plan, gives the nodes of it that no line
 * was about. Gives the lines that are there now; the same list as long as nothing has changed.
 */
export function plannerLines(run: Pick<RunHandle, 'view'>) {
  /** The ids and the tasks of nodes that lines were about. */
  const written = { keys: new Set<string>(), tasks: new Set<string>() };
  let lines: readonly string[] = [];
  let known: readonly NodeView[] = [];
  return async ({ planning }: RunStatus, nodes: readonly NodeView[]): Promise<readonly string[]> => {
    const isNew = nodes !== known;
    known = nodes;
    const now = planning !== undefined ? await writtenNow() : isNew ? unwritten(nodes) : [];
    if (planning === undefined) for (const set of Object.values(written)) set.clear();
    if (JSON.stringify(now) !== JSON.stringify(lines)) lines = now;
    return lines;
  };

  async function writtenNow(): Promise<readonly string[]> {
    const { feedback } = await run.view(['feedback']);
    for (const { key, task } of feedback) {
      if (key !== undefined) written.keys.add(key);
      if (task !== undefined) written.tasks.add(task);
    }
    return feedback.map(({ text }) => text);
  }

  /** In the form of the lines. Nothing of a plan of which no line was about a node: it is another one. */
  function unwritten(nodes: readonly NodeView[]): readonly string[] {
    const rest = nodes.filter(({ key, summary }) =>
      key === undefined
        ? !written.tasks.has(cutCharacters(summary, PLAN_LINE_CHARACTERS))
        : !written.keys.has(cutCharacters(key, PLAN_LINE_CHARACTERS)),
    );
    if (rest.length === nodes.length) return [];
    return rest.map(({ id, key = id, summary, executor }) => `${key}: ${summary} (${executor.split('@')[0]})`);
  }
}
