/** The shape of a plan: everything that an approval covers, except the values that a grant lets vary. */

import { createHash } from 'node:crypto';
import { readAnswerSchema } from '../../capabilities/index.ts';
import { canonicalJson, findReferences, type CompiledPlan, type JsonValue } from '../../plan/index.ts';
import { quote } from '../../plan/text/index.ts';
import { given, nodeId, type NodeExecutor, type RunOptions, type PlanShape } from '../../protocol/index.ts';
import type { GrantTerms } from '../../protocol/identity/token/index.ts';
import { hashOf } from '../../store/index.ts';
import { replaceAt } from '../revision.ts';

export interface ShapedPlan {
  readonly plan: CompiledPlan;
  readonly planShape: Pick<PlanShape, 'executors' | 'executorOf'>;
}

export type GrantedOptions = Pick<RunOptions, 'approval' | 'budget'>;

/**
 * The folder of a plan's grants in the store: a hash of the plan without arguments and context, so that a run also
 * finds grants that do not cover it and can say why.
 */
export function frameOf({ plan }: ShapedPlan): string {
  const tasks = plan.tasks.map(({ key: _k, arguments: _a, externalRefs: _r, ...task }) => task);
  const { goal, root, complexity } = plan;
  return hashOf(jsonOf(given({ goal, root, complexity, tasks, combines: withoutKeys(plan.combines) })));
}

/**
 * Hashes all that a grant covers.
 * @param paths the paths of the values that vary, which the plan must have
 */
export function shapeOf(
  { plan, planShape }: ShapedPlan,
  paths: readonly string[],
  { approval, budget }: GrantedOptions,
): string {
  const blank = new Map<string, JsonValue>();
  for (const path of paths) {
    const { node, keys } = valueAt(plan, path)!;
    blank.set(node.id, replaceAt(blank.get(node.id) ?? node.arguments!, keys, null));
  }
  const { nodesById: _n, dependents: _d, digest: _h, ...stored } = plan;
  const tasks = withoutKeys(plan.tasks).map((task) =>
    given({ ...task, arguments: blank.get(task.id) ?? task.arguments }),
  );
  const shape = {
    plan: { ...stored, tasks, combines: withoutKeys(plan.combines) },
    executors: planShape.executors.map(boundOf),
    executorOf: planShape.executorOf,
    vary: paths.toSorted(),
    options: given({ approval, budget }),
  };
  return createHash('sha256').update(jsonOf(shape)).digest('hex');
}

function withoutKeys<Node extends object>(nodes: readonly Node[]): readonly Omit<Node, 'key'>[] {
  return nodes.map((node) => given({ ...node, key: undefined }) as unknown as Omit<Node, 'key'>);
}

/** What a grant fixes of an executor, as an approval does: version, cost, time, attempts, and an agent's budget. */
function boundOf({ label, cost, startToCloseMs, retry, rounds, stepCost, budget }: NodeExecutor) {
  return given({ label, cost, startToCloseMs, attempts: retry.attempts, rounds, stepCost, budget });
}

export function jsonOf(value: unknown): string {
  return canonicalJson(value as JsonValue);
}

/** The value at a path such as `node_2/arguments/amount`; undefined if missing. `~1` means `/`, `~0` means `~`. */
export function valueAt({ nodesById }: Pick<CompiledPlan, 'nodesById'>, path: string) {
  const [id = '', field, ...names] = path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const node = Object.hasOwn(nodesById, id) ? nodesById[id] : undefined;
  if (node?.kind !== 'task' || field !== 'arguments' || names.length === 0) return undefined;
  let value: unknown = node.arguments;
  const keys: (string | number)[] = [];
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.keys(value).includes(name)) return undefined;
    keys.push(Array.isArray(value) ? Number(name) : name);
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return { node, keys, value: value as JsonValue };
}

export function createShaper(shaped: ShapedPlan, options: GrantedOptions): (paths: readonly string[]) => string {
  const shapes = new Map<string, string>();
  return (paths) => {
    const key = jsonOf(paths.toSorted());
    const shape = shapes.get(key) ?? shapeOf(shaped, paths, options);
    shapes.set(key, shape);
    return shape;
  };
}

/**
 * Why a grant does not cover the plan; undefined if it does. The message contains no value.
 * @param shapeFor computes the shape of this plan under these options
 */
export function mismatchOf(
  terms: GrantTerms,
  shaped: ShapedPlan,
  options: GrantedOptions,
  shapeFor = createShaper(shaped, options),
): string | undefined {
  const { plan, planShape } = shaped;
  const paths = Object.keys(terms.vary);
  const missing = paths.find((path) => valueAt(plan, path) === undefined);
  if (missing !== undefined) return `the plan has no ${quote(missing)}`;
  if (shapeFor(paths) !== terms.shape) return differenceOf(terms, planShape, options);
  for (const [path, schema] of Object.entries(terms.vary)) {
    const { value } = valueAt(plan, path)!;
    if (namesResult(value)) return `${path} is or contains the result of another step`;
    const read = readAnswerSchema(schema);
    if (!read.ok) return `the schema of ${path} cannot be used`;
    if (read.problemOf(value) !== undefined) return `the value of ${path} does not fit its schema`;
  }
  return undefined;
}

export function namesResult(value: JsonValue): boolean {
  return findReferences(value).length > 0 || JSON.stringify(value).includes('result_from_step');
}

/** The first difference between grant and plan, in words that the grant uses if possible. */
function differenceOf(
  terms: GrantTerms,
  { executors, executorOf }: ShapedPlan['planShape'],
  options: GrantedOptions,
): string {
  const { approval, budget, effects } = terms;
  if (jsonOf(given({ approval, budget })) !== jsonOf(given({ ...options })))
    return 'its runs have other approval rules or another budget';
  const labels = executorOf.map((at) => executors[at]!.label);
  const at = labels.findIndex((label, node) => label !== (effects[nodeId(node)] ?? label));
  return at < 0
    ? 'a value that it does not let vary, the context, a cost or a version is another one'
    : `${nodeId(at)} is ${labels[at]} now, and was ${effects[nodeId(at)]}`;
}
