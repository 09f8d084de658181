/**
 * The lines that a model writes of a plan: the server forgets the last lines with the work that told them, and the plan
 * has them.
 */

import type { NodeView, RunStatus } from '../protocol/index.ts';
import type { RunHandle } from './run-handle.ts';

/**
 * Hears the server alone, and only while the planner is at work; once there is a plan, tells the nodes of it that were
 * not told. Gives the lines that are there now; the same list as long as nothing has changed.
 */
export function plannerLines(run: Pick<RunHandle, 'view'>) {
  const told = new Set<string>();
  let lines: readonly string[] = [];
  let known: readonly NodeView[] = [];
  return async ({ planning }: RunStatus, nodes: readonly NodeView[]): Promise<readonly string[]> => {
    const isNew = nodes !== known;
    known = nodes;
    const now =
      planning !== undefined ? (await run.view(['feedback'])).feedback : isNew ? untold(nodes, [...told]) : [];
    if (planning === undefined) told.clear();
    else for (const line of now) told.add(line);
    if (JSON.stringify(now) !== JSON.stringify(lines)) lines = now;
    return lines;
  };
}

/** In the form of those that were told. None of a plan of which nothing was told: it is another one. */
function untold(nodes: readonly NodeView[], told: readonly string[]): readonly string[] {
  const rest = nodes.filter(({ key, summary }) => {
    const [from, text] = key === undefined ? ['', `: ${summary}`] : [`${key}: `, ''];
    return !told.some((line) => line.startsWith(from) && line.includes(text));
  });
  if (rest.length === nodes.length) return [];
  return rest.map(({ id, key = id, summary, executor }) => `${key}: ${summary} (${executor.split('@')[0]})`);
}
