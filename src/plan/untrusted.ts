/** Finds, by the edges of a plan, the untrusted sources of each node's values, in linear time. */

import { nodeId, nodeIndex } from './node-id.ts';
import { findReferences } from './steps/index.ts';
import { cutCharacters, oneLine } from './text/index.ts';
import type { CompiledPlan, NodeId, PlanNode, TaskNode } from './compiled-plan.ts';

/** The untrusted sources before any edge is followed. Each text names a source for people, such as `web page`. */
export interface UntrustedSources {
  /** The untrusted source of a node's own result; undefined if the node adds none. */
  sourceOf(id: NodeId): string | undefined;
  /** The untrusted resource, such as a file, that a node reads while it runs. `sourceOf` names it, too. */
  readOf?(id: NodeId): string | undefined;
  /** The untrusted source of values that the plan has for a node, such as the result that a step undoes. */
  valuesOf?(id: NodeId): string | undefined;
  /** Untrusted values from outside the plan, by context key, with their sources. */
  readonly external?: { readonly [contextKey: string]: string };
  /**
   * What the model had read before it wrote the plan. It may have copied any of that, so all of the plan is untrusted.
   */
  readonly written?: string | undefined;
}

export interface UntrustedValues {
  /** The nodes that untrusted values reach, with lines for people, such as `amount comes from node_4 (web page)`. */
  readonly reached: { readonly [node: number]: readonly string[] };
  /** The indexes of the nodes whose results are untrusted. */
  readonly results: readonly number[];
}

/** Maximum number of sources that a line names. It is also the maximum number of lines for a node. */
const NAMED = 3;
const LINES = 5;
const NAME = 80;

/** The smallest numbers of the sources that reach a node. Above `NAMED`, one more number stands for the rest. */
type Origins = readonly number[];
const NO_ORIGINS: Origins = [];

/** Follows the edges of a plan. @param hasLines whether people are asked about the node, so that it gets lines */
export function findUntrusted(
  plan: CompiledPlan,
  { sourceOf, readOf, valuesOf, external = {}, written }: UntrustedSources,
  hasLines: (id: NodeId) => boolean,
): UntrustedValues {
  const names: string[] = [];
  const origins: Origins[] = [];
  const reached: Record<number, readonly string[]> = {};
  const results: number[] = [];
  const outside = new Map(
    Object.entries(external).map(([key, what]) => [key, [names.push(contextText(key, what)) - 1]]),
  );
  const steps = new Map(
    plan.tasks.flatMap(({ id, contextKey }) => (contextKey === undefined ? [] : [[contextKey, id]])),
  );
  const total = plan.tasks.length + plan.combines.length;
  for (let index = 0; index < total; index += 1) {
    const node = plan.nodesById[nodeId(index)]!;
    const values = valuesOf?.(node.id);
    const own = values === undefined ? NO_ORIGINS : [names.push(nameOf(values)) - 1];
    const into = inputsOf(node).reduce(merge, own);
    const read = readOf?.(node.id);
    const isReached = into.length > 0 || (read ?? written) !== undefined;
    const source = sourceOf(node.id);
    origins.push(source === undefined ? into : merge(into, [names.push(`${node.id} (${nameOf(source)})`) - 1]));
    if (isReached) reached[index] = node.kind === 'task' && hasLines(node.id) ? linesOf(node, into, read) : [];
    if (isReached || source !== undefined) results.push(index);
  }
  return { reached, results };

  function inputsOf(node: PlanNode): readonly Origins[] {
    const ids = node.kind === 'combine' ? node.inputs : node.dependsOn;
    const keys = node.kind === 'combine' ? [] : (node.externalInputs ?? []);
    return [...ids.map((id) => origins[nodeIndex(id)]!), ...keys.map((key) => outside.get(key) ?? NO_ORIGINS)];
  }

  function linesOf(task: TaskNode, into: Origins, read: string | undefined): readonly string[] {
    const lines = new Set(read === undefined ? [] : [`reads ${read}`]);
    const named = new Set<number>();
    const inputs = new Set([...task.dependsOn, ...(task.externalInputs ?? [])]);
    for (const { step, path } of findReferences(task.arguments ?? {})) {
      const from = originsOfStep(step, inputs);
      for (const one of from) named.add(one);
      if (from.length > 0) lines.add(`${nameOf(path.join('.'))} comes from ${sourcesText(from)}`);
    }
    const rest = into.filter((one) => !named.has(one));
    if (rest.length > 0) lines.add(`an input comes from ${sourcesText(rest)}`);
    const more = lines.size - LINES;
    return [
      ...[...lines].slice(0, LINES),
      ...(more > 0 ? [`${more} more ${more === 1 ? 'argument is' : 'arguments are'} untrusted`] : []),
      ...(written === undefined ? [] : [`written by a model that had read ${written}`]),
    ];
  }

  function originsOfStep(step: string, inputs: ReadonlySet<string>): Origins {
    const id = steps.get(step) ?? plan.tasks[Number(step) - 1]?.id ?? '';
    if (inputs.has(id)) return origins[nodeIndex(id)]!;
    return (inputs.has(step) ? outside.get(step) : undefined) ?? NO_ORIGINS;
  }

  function sourcesText(from: Origins): string {
    const some = from.slice(0, NAMED).map((one) => names[one]!);
    return `${some.join(', ')}${from.length > NAMED ? ' and more' : ''}`;
  }
}

function merge(one: Origins, other: Origins): Origins {
  if (one === other || other.length === 0) return one;
  if (one.length === 0) return other;
  return [...new Set([...one, ...other])].sort((a, b) => a - b).slice(0, NAMED + 1);
}

function contextText(key: string, what: string): string {
  return `context ${nameOf(key)} (${nameOf(what)})`;
}

function nameOf(text: string): string {
  return cutCharacters(oneLine(text), NAME);
}
