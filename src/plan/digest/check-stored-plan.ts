import { COLOCATE_FIELDS } from '../names.ts';
import { EVERY_OPERATOR, factsOf } from '../operators/index.ts';
import { isPlainObject } from '../plain-object.ts';
import { isNodeId, nodeIndex } from '../node-id.ts';
import { TASK_FIELDS } from './task-fields.ts';
import type { PlanNode, StoredPlan } from '../compiled-plan.ts';

export type StoredPlanCheck =
  | { readonly ok: true; readonly plan: StoredPlan; readonly nodes: readonly PlanNode[] }
  | { readonly ok: false; readonly message: string };

export const PLAN_FIELDS = [
  'version',
  'goal',
  'root',
  'tasks',
  'combines',
  'complexity',
  'estimatedMinutes',
  'external',
] as const satisfies readonly (keyof StoredPlan)[];
const COMBINE_FIELDS = ['id', 'key', 'kind', 'operator', 'inputs', 'dependsOn', 'displayName', 'colocate'];

/** Checks that a value has the shape of a stored plan, with dependencies before dependents and no other fields. */
export function checkStoredPlan(value: unknown): StoredPlanCheck {
  if (!isPlainObject(value)) return notStoredPlan('it is no object');
  if (value['version'] !== 1) return notStoredPlan('its version is not 1; it may come from a newer release');
  if (typeof value['goal'] !== 'string') return notStoredPlan('it has no goal');
  if (!hasOnly(value, PLAN_FIELDS)) return notStoredPlan('it has fields that this version does not write');
  const { tasks, combines, complexity = 'low', estimatedMinutes = 0, external = [] } = value;
  const hasSummary = isText(complexity) && typeof estimatedMinutes === 'number' && Array.isArray(external);
  if (!hasSummary || !external.every(isText)) return notStoredPlan('what it says beside its nodes is malformed');
  if (!Array.isArray(tasks) || !Array.isArray(combines)) return notStoredPlan('it has no lists of tasks and combines');
  const nodes = new Array<PlanNode | undefined>(tasks.length + combines.length).fill(undefined);
  for (const [records, isNode] of [
    [tasks, isTask],
    [combines, isCombine],
  ] as const) {
    let last = -1;
    for (const record of records as unknown[]) {
      const id = isPlainObject(record) && isNode(record) ? record['id'] : undefined;
      const index = isNodeId(id) ? nodeIndex(id) : Infinity;
      if (index >= nodes.length || nodes[index] !== undefined) return notStoredPlan('one of its nodes is malformed');
      if (index <= last) return notStoredPlan('its nodes are not in dependency order');
      last = index;
      if (!(record as PlanNode).dependsOn.every((input) => nodeIndex(input) < index)) {
        return notStoredPlan('one of its nodes depends on a later one');
      }
      nodes[index] = record as PlanNode;
    }
  }
  const { root } = value;
  if (!isNodeId(root) || nodeIndex(root) >= nodes.length) return notStoredPlan('its root is none of its nodes');
  return { ok: true, plan: value as unknown as StoredPlan, nodes: nodes as PlanNode[] };
}

type Fields = { readonly [key: string]: unknown };

function isTask(record: Fields): boolean {
  const kinds: Readonly<Record<string, string>> = TASK_FIELDS;
  const fits = ([field, value]: [string, unknown]) => {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    return kind !== undefined && (isText(value) || (kind !== 'text' && kind !== 'shown'));
  };
  const { kind, task, key, dependsOn } = record;
  return kind === 'task' && isText(task) && isKey(key) && isIdList(dependsOn) && Object.entries(record).every(fits);
}

function isCombine(record: Fields): boolean {
  const { inputs, dependsOn, colocate } = record;
  if (record['kind'] !== 'combine' || !isKey(record['key']) || !isText(record['displayName'])) return false;
  if (!hasOnly(record, COMBINE_FIELDS)) return false;
  if (isPlainObject(colocate) && !hasOnly(colocate, [...COLOCATE_FIELDS, 'left', 'right'])) return false;
  const operator = EVERY_OPERATOR.find((each) => each === record['operator']);
  if (operator === undefined || isPlainObject(colocate) !== factsOf(operator).located) return false;
  if (!isIdList(inputs) || inputs.length !== 2 || !isIdList(dependsOn)) return false;
  return [...new Set(inputs)].join() === dependsOn.join();
}

function hasOnly(record: Fields, fields: readonly string[]): boolean {
  return Object.keys(record).every((field) => fields.includes(field));
}

function isKey(value: unknown): boolean {
  return isText(value) && /^[\w-]{43}$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isIdList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isNodeId);
}

function notStoredPlan(reason: string): StoredPlanCheck {
  return { ok: false, message: `This is no stored plan: ${reason}.` };
}
