import { cutColumns } from '../lines/index.ts';
import { isPlainObject } from '../plain-object.ts';
import { cutCharacters, oneLine, visible } from '../text/index.ts';
import { nodeLabel } from '../outline/index.ts';
import { canonicalJson } from '../digest/index.ts';
import { ownFields } from './diff.ts';
import { nodeWords } from './node-sentence.ts';
import { nodeTitle, identityFields } from './plan-outline.ts';
import type { CompiledPlan, JsonValue, NodeId, PlanNode } from '../compiled-plan.ts';
import type { PlanDiff } from './diff.ts';

export interface DiffOptions {
  /** Maximum columns of a line. Longer lines are cut. Default 100. */
  readonly width?: number | undefined;
}

const COMPARED_WITHOUT = 'compared without values of external context: one of the two plans has none';
const WIDTH = 100;
const NAMED = 3;
const VALUE = 40;

/**
 * Renders a difference, one line per change: `+` added, `-` removed, `~` changed, `>` moved, `"` renamed, and the
 * number of unchanged nodes. Ids are those of `after`, or of `before` for a removed node.
 * @example renderDiff(diffPlans(before, after), before, after); // '~ node_6 focused  Focus the beam  value: 44 -> 46\n= 8 ...'
 */
export function renderDiff(
  diff: PlanDiff,
  before: CompiledPlan,
  after: CompiledPlan,
  { width = WIDTH }: DiffOptions = {},
): string {
  const [old, now] = [before.nodesById, after.nodesById];
  const whole = (node: PlanNode, plan: CompiledPlan) => {
    const title = nodeTitle(node);
    const words = nodeWords(node, plan, title);
    return `${title}${words === '' ? '' : `  ${words}`}`;
  };
  const lines = diff.fields.map((field) => `~ ${field}: ${shortly(before[field])} -> ${shortly(after[field])}`);
  for (const id of diff.removed) lines.push(`- ${nodeLabel(identityFields(old[id]!))}  ${whole(old[id]!, before)}`);
  for (const id of diff.added) lines.push(`+ ${nodeLabel(identityFields(now[id]!))}  ${whole(now[id]!, after)}`);
  for (const one of diff.changed) {
    const [was, is] = [old[one.before]!, now[one.after]!];
    const what = one.own ? changesOf(was, is, diff) : 'its inputs changed';
    lines.push(`~ ${formerly(one, is)}  ${nodeTitle(is)}  ${what}`);
  }
  for (const one of diff.moved) lines.push(`> ${formerly(one, now[one.after]!)}  ${nodeTitle(now[one.after]!)}`);
  for (const one of diff.renamed) {
    const [was, is] = [old[one.before]!, now[one.after]!];
    lines.push(`" ${formerly(one, is)}  ${shortly(was.displayName)} -> ${shortly(is.displayName)}`);
  }
  const unchanged = diff.reused.length;
  lines.push(`= ${unchanged} node${unchanged === 1 ? '' : 's'} as before`);
  if (diff.withoutContext === true) lines.push(COMPARED_WITHOUT);
  return lines.map((line) => cutColumns(visible(line), width)).join('\n');
}

/** The changed fields of a node, such as `value: 44 -> 46, mode: none -> "slow" and 2 more`. */
function changesOf(before: PlanNode, after: PlanNode, { withoutContext }: PlanDiff): string {
  if (before.kind !== after.kind) return `it was: ${nodeTitle(before)}`;
  const all = leafChanges(ownFields(before), ownFields(after), []);
  const changes = withoutContext === true ? all.filter(({ path }) => !path.startsWith('externalRefs')) : all;
  const named = changes.slice(0, NAMED).map(({ path, was, is }) => `${path}: ${shortly(was)} -> ${shortly(is)}`);
  const more = changes.length - named.length;
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

interface Change {
  readonly path: string;
  readonly was: JsonValue | undefined;
  readonly is: JsonValue | undefined;
}

function leafChanges(was: JsonValue | undefined, is: JsonValue | undefined, path: readonly string[]): Change[] {
  if (isPlainObject(was) && isPlainObject(is)) {
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return names.flatMap((name) => leafChanges(ownMember(was, name), ownMember(is, name), [...path, name]));
  }
  if (canonicalJson(was ?? null) === canonicalJson(is ?? null) && (was === undefined) === (is === undefined)) return [];
  const [first, ...inner] = path;
  return [{ path: (first === 'arguments' && inner.length > 0 ? inner : path).join('.'), was, is }];
}

function ownMember(object: { readonly [name: string]: JsonValue }, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function formerly({ before, after }: { readonly before: NodeId; readonly after: NodeId }, node: PlanNode): string {
  return before === after ? nodeLabel(identityFields(node)) : `${nodeLabel(identityFields(node))} (was ${before})`;
}

function shortly(value: JsonValue | readonly string[] | undefined): string {
  return value === undefined ? 'none' : cutCharacters(oneLine(canonicalJson(value)), VALUE);
}
