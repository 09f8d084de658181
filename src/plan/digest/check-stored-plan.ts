/** The shape of a stored plan, checked before it is believed. */

import { EVERY_OPERATOR, factsOf } from '../operators/index.ts';
import { isPlainObject } from '../plain-object.ts';
import { indexOfId } from './node-id.ts';
import type { PlanNode, StoredPlan } from '../compiled-plan.ts';

export type StoredPlanCheck =
  | { readonly ok: true; readonly plan: StoredPlan; readonly nodes: readonly PlanNode[] }
  | { readonly ok: false; readonly message: string };

/** Whether a parsed value has the shape of a stored plan: all of its ids in place, every dependency before its dependents. */
export function checkStoredPlan(value: unknown): StoredPlanCheck {
  if (!isPlainObject(value)) return refused('it is no object');
  if (value['version'] !== 1) return refused('its version is not 1; it may come from a newer release');
  if (typeof value['goal'] !== 'string') return refused('it has no goal');
  const { tasks, combines } = value;
  if (!Array.isArray(tasks) || !Array.isArray(combines)) return refused('it has no lists of tasks and combines');
  const nodes = new Array<PlanNode | undefined>(tasks.length + combines.length).fill(undefined);
  for (const [records, isNode] of [
    [tasks, isTask],
    [combines, isCombine],
  ] as const) {
    let last = -1;
    for (const record of records as unknown[]) {
      const index = isPlainObject(record) && isNode(record) ? indexOf(record['id']) : undefined;
      if (index === undefined || index >= nodes.length || nodes[index] !== undefined)
        return refused('one of its nodes is malformed');
      if (index <= last) return refused('its nodes are not in dependency order');
      last = index;
      if (!(record as PlanNode).dependsOn.every((id) => (indexOf(id) ?? Infinity) < index)) {
        return refused('one of its nodes depends on a later one');
      }
      nodes[index] = record as PlanNode;
    }
  }
  if ((indexOf(value['root']) ?? Infinity) >= nodes.length) return refused('its root is none of its nodes');
  return { ok: true, plan: value as unknown as StoredPlan, nodes: nodes as PlanNode[] };
}

type Fields = { readonly [key: string]: unknown };

function isTask(record: Fields): boolean {
  return record['kind'] === 'task' && isText(record['task']) && isText(record['key']) && isIdList(record['dependsOn']);
}

function isCombine(record: Fields): boolean {
  const { inputs, dependsOn } = record;
  if (record['kind'] !== 'combine' || !isText(record['key']) || !isText(record['displayName'])) return false;
  const operator = EVERY_OPERATOR.find((each) => each === record['operator']);
  if (operator === undefined || isPlainObject(record['colocate']) !== factsOf(operator).located) return false;
  if (!isIdList(inputs) || inputs.length !== 2 || !isIdList(dependsOn)) return false;
  return [...new Set(inputs)].join() === dependsOn.join();
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isIdList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((id) => indexOf(id) !== undefined);
}

function indexOf(id: unknown): number | undefined {
  return isText(id) && /^node_[1-9]\d{0,8}$/.test(id) ? indexOfId(id) : undefined;
}

function refused(reason: string): StoredPlanCheck {
  return { ok: false, message: `This is no stored plan: ${reason}.` };
}
