/** Collects the lines of a plan while the planner's model writes it, and the last ones from the finished plan. */

import { PLAN_LINE_CHARACTERS, type NodeView, type RunStatus } from '../protocol/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import type { RunHandle } from './run-handle.ts';

/** Returns the current lines (the same list if unchanged): from the server during planning, then from the nodes. */
export function plannerLines(run: Pick<RunHandle, 'view'>) {
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

  /** Lines for the nodes without one. Returns none if no node has one, since the lines were then about another plan. */
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
