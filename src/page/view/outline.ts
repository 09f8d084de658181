/** A plan as rows of the page: marks, badges, what each node gave, and the values that each effect is given beside it. */

import {
  badgeOf,
  foldedWords,
  MARKS,
  placeName,
  rowsOf,
  tailOf,
  type Outline,
  type OutlineEntry,
  type Row,
} from '../../plan/outline/index.ts';
import { canonicalJson, outlineOf, type CompiledPlan, type JsonValue, type PlanNode } from '../../plan/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import { byText, entryOfNode, tellingOf } from '../../operations/words/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';
import { html, type Html, type Piece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import type { Part } from '../watch.ts';

/**
 * Rows that are shown at once; those between them are folded, and sent as long as there are no more than `sent`.
 * @bound .shown rows of a plan
 * @beyond the rest is folded into counted rows; effects stay
 * @bound .sent nodes of a plan whose folded rows are sent
 * @beyond counted, with a link to those nodes
 */
const ROWS = { shown: 200, sent: 1000 };
/**
 * Nodes of a plan whose words beside their titles are shown; of a larger one those of its effects are.
 * @bound nodes of a plan with the words of each
 * @beyond effects alone have theirs
 */
const WORDS = 60;
/**
 * Characters of one value beside its effect, and of all that a page holds. The page of a node has the whole.
 * @bound .one {characters} a value beside its effect
 * @beyond cut, with a link to the whole
 * @bound .all {characters} values of all effects on a page
 * @beyond the pages of the nodes have them
 */
const VALUE = { one: 2000, all: 100_000 };

export interface OutlineParts {
  /** The whole, which is sent again when its rows are others. */
  readonly whole: Part;
  readonly rows: ReadonlyMap<string, Part>;
}

interface Shown {
  /** Absent before there is a run: its nodes have no pages then. */
  readonly workflowId?: string | undefined;
  readonly nodes: readonly SeenNode[];
  readonly plan?: CompiledPlan | undefined;
}

/** The rows of a run's plan; undefined before there is one. The rows depend on the plan alone, so that each can change in its place. */
export function outlineParts({ workflowId, nodes, plan }: Shown): OutlineParts | undefined {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const outline = plan === undefined ? outlineOfNodes(nodes) : outlineOfPlan(plan, byId);
  if (outline === undefined) return undefined;
  const values = valuesBeside(plan, outline);
  const parts = new Map<string, Part>();
  const isSent = outline.entries.size <= ROWS.sent;
  const rowOf = (entry: OutlineEntry, prefix?: string) => {
    const { id } = entry;
    return partOf(`n-${id}`, nodeRow({ workflowId, entry, prefix, node: byId.get(id), values: values.get(id) }));
  };
  const lines = rowsOf(outline, { most: ROWS.shown }).map((row, at): Html => {
    if (row.kind === 'node') return rowOf(row.entry, row.prefix);
    if (row.kind === 'seen')
      return html`<li class="seen">${guide(row)}<a href="#n-${row.entry.id}">see ${placeName(row.entry)}</a></li>`;
    const words = foldedWords(row.entries.map((entry) => ({ ...entry, ...factsOf(byId.get(entry.id)) })));
    const id = `s-${at}`;
    if (!isSent) {
      const href = workflowId !== undefined && `${runPath(workflowId, 'nodes')}?from=${row.entries[0]?.id}`;
      return html`<li>${guide(row)}${partOf(id, html`<span id="${id}">${linked(href, words)}</span>`)}</li>`;
    }
    const head = partOf(id, html`<summary id="${id}">${words}</summary>`);
    return html`<li>${guide(row)}<details id="f-${at}">${head}<ol>${row.entries.map((entry) => rowOf(entry))}</ol></details></li>`;
  });
  const key = `${plan?.digest ?? nodes.length} ${lines.length}`;
  return { whole: { key, html: () => html`<ol id="outline" class="outline">${lines}</ol>` }, rows: parts };

  function partOf(id: string, made: Html): Html {
    parts.set(id, { key: String(made), html: () => made });
    return made;
  }
}

/** How a node stands, which changes no row's place. Time that runs is counted by the browser. */
function factsOf(node: SeenNode | undefined): Partial<OutlineEntry> {
  if (node === undefined) return {};
  const { title: _title, takes: _takes, ms, ...facts } = entryOfNode(node);
  return { ...facts, ...given({ ms: node.status === 'running' ? undefined : ms, by: byText(node) }) };
}

/** The words of a large plan are those of its effects; an effect's arguments stand below as values. */
function outlineOfPlan(plan: CompiledPlan, byId: ReadonlyMap<string, SeenNode>): Outline {
  const nodes = Object.values(plan.nodesById);
  const isEffect = (id: string) => (byId.get(id)?.effect ?? 'read') !== 'read';
  const told = nodes.map((node) => [node.id, isEffect(node.id) ? withoutArguments(node) : node] as const);
  const more = (id: string) => {
    const { effect, cost } = byId.get(id) ?? {};
    return { ...given({ effect, cost }), ...(nodes.length > WORDS && !isEffect(id) && { words: '' }) };
  };
  return outlineOf({ ...plan, nodesById: Object.fromEntries(told) }, { more });
}

function withoutArguments(node: PlanNode): PlanNode {
  if (node.kind !== 'task') return node;
  const { arguments: _, ...rest } = node;
  return rest;
}

/** Nodes as the run itself tells them, where its plan is in another store. The last takes the others. */
function outlineOfNodes(nodes: readonly SeenNode[]): Outline | undefined {
  const root = nodes.at(-1)?.id;
  if (root === undefined) return undefined;
  const entries = nodes.map(
    ({ id, key, summary: title, effect, cost, inputs: takes = [] }) =>
      [id, given({ id, key, title, effect, cost, takes })] as const,
  );
  return { root, entries: new Map<string, OutlineEntry>(entries) };
}

function guide({ prefix = '' }: Partial<Row>): Piece {
  return prefix !== '' && html`<i class="g" aria-hidden="true">${prefix}</i>`;
}

interface NodeRow {
  readonly workflowId?: string | undefined;
  readonly entry: OutlineEntry;
  readonly prefix?: string | undefined;
  readonly node: SeenNode | undefined;
  readonly values?: readonly NamedValue[] | undefined;
}

/** A node: its mark, its name, its badge, its title, what it gave; below it its values and why it has no result. */
export function nodeRow({ workflowId, entry: plain, prefix, node, values = [] }: NodeRow): Html {
  const entry = { ...plain, ...factsOf(node) };
  const { id, standing = 'pending', title, words = '' } = entry;
  const [badge, tail, told] = [badgeOf(entry), tailOf(entry).join(' · '), node === undefined ? '' : tellingOf(node)];
  const href = workflowId === undefined ? undefined : nodePath(workflowId, id);
  const beside = [
    tail !== '' && html` <span class="tail">${tail}</span>`,
    standing === 'running' &&
      node?.scheduledAt !== undefined &&
      html` <span class="tail" data-since="${node.scheduledAt}"></span>`,
    words !== '' && html`<p class="words">${cutCharacters(words, VALUE.one)}</p>`,
    told !== '' && html`<p class="told">${cutCharacters(told, VALUE.one)}</p>`,
    values.length > 0 && valueList(values, href),
  ];
  const name = html`${mark(entry)}${linked(href, placeName(entry))}${badge !== '' && html` <b class="fx">${badge}</b>`}`;
  return html`<li id="n-${id}" class="${standing}">${guide({ prefix: prefix ?? '' })}<div>${name} ${oneLine(title)}${beside}</div></li>`;
}

function linked(href: string | false | undefined, word: string): Piece {
  return href ? html`<a href="${href}">${word}</a>` : word;
}

/** The mark, with its word for those who do not see it; a node before a run has neither. */
export function mark({ standing }: Pick<OutlineEntry, 'standing'>): Piece {
  return (
    standing !== undefined &&
    html`<i class="m" aria-hidden="true">${MARKS[standing].mark}</i><span class="vh">${standing} </span>`
  );
}

export type NamedValue = readonly [name: string, json: string];

/** The arguments of a node, each with its value as JSON; empty where it has none. */
export function argumentsOf(args: JsonValue | undefined): readonly NamedValue[] {
  if (args === undefined) return [];
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [['arguments', canonicalJson(args)]];
  return Object.entries(args).map(([name, value]) => [name, canonicalJson(value)]);
}

/** @param href where the whole of a long value is; without it all are whole */
export function valueList(values: readonly NamedValue[], href?: string): Html {
  const most = href === undefined ? Infinity : VALUE.one;
  const rows = values.map(([name, json]) => {
    const more = json.length > most && html` <a href="${href}">the whole value</a>`;
    return html`<div><dt>${name}</dt><dd><code>${cutCharacters(json, most)}</code>${more}</dd></div>`;
  });
  return html`<dl class="values">${rows}</dl>`;
}

/** By node the values that its effect above read is given, as many as a page holds. */
function valuesBeside(plan: CompiledPlan | undefined, outline: Outline): ReadonlyMap<string, readonly NamedValue[]> {
  const found = new Map<string, readonly NamedValue[]>();
  let room = VALUE.all;
  for (const { id, effect = 'read' } of outline.entries.values()) {
    const node = plan?.nodesById[id];
    if (effect === 'read' || node?.kind !== 'task') continue;
    const values = argumentsOf(node.arguments);
    room -= values.reduce((sum, [name, json]) => sum + name.length + Math.min(json.length, VALUE.one), 0);
    if (values.length > 0) found.set(id, room < 0 ? [['its values', 'are on its page']] : values);
  }
  return found;
}
