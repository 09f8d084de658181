/** What waits for people in an agent, as its parent is told of it: the parent shows it, and anybody answers it at the agent. Pure. */

import { isDeeperThan, OPEN_ITEMS, problemOf, VALUE_LEVELS, type OpenItem } from '../../protocol/index.ts';
import type { Run } from './run.ts';
import { firstOpen } from '../views/open-items.ts';

/**
 * Characters of JSON of the items in one message; and those that a run keeps of all its agents, since they are in its snapshots. What
 * has no room is counted, and the agent's own query tells it.
 */
const TOLD_CHARACTERS = 8192;
const KEPT_CHARACTERS = 262_144;
/** Items that are looked at for one message. */
const TOLD_ITEMS = 20;

/** The first of what is open here and in the agents at work here, as far as there is room. */
export function itemsToTell(run: Run): readonly OpenItem[] {
  const told: OpenItem[] = [];
  let left = TOLD_CHARACTERS;
  for (const item of firstOpen(run, TOLD_ITEMS)) {
    left -= JSON.stringify(item).length;
    if (left < 0) break;
    told.push(item);
  }
  return told;
}

/** Takes in what waits in an agent, where it is that, is about that agent and its own, and there is room. */
export function takeItems({ dialogue: { children } }: Run, workflowId: string, items: unknown): void {
  const child = children.get(workflowId);
  if (child === undefined) return;
  delete child.items;
  if (!Array.isArray(items) || items.length === 0 || items.length > TOLD_ITEMS) return;
  if (isDeeperThan(VALUE_LEVELS, items) || problemOf(OPEN_ITEMS, items) !== undefined) return;
  const isIts = ({ workflowId: id }: OpenItem) => id === workflowId || id.startsWith(`${workflowId}.`);
  const sizeOf = (list: unknown) => (list === undefined ? 0 : JSON.stringify(list).length);
  const kept = [...children.values()].reduce((sum, one) => sum + sizeOf(one.items), 0);
  const size = sizeOf(items);
  if (items.every(isIts) && size <= TOLD_CHARACTERS + TOLD_ITEMS && kept + size <= KEPT_CHARACTERS) child.items = items;
}
