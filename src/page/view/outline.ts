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
} from '../../language/outline/index.ts';
import {
  canonicalJson,
  outlineOf,
  type CompiledPlan,
  type JsonValue,
  type PlanNode,
} from '../../language/plan/index.ts';
import { cutCharacters, oneLine } from '../../language/text/index.ts';
import type { SeenNode } from '../../operations/index.ts';
import { byText, entryOfNode, tellingOf } from '../../operations/words/index.ts';
import { given } from '../../wire/contract/index.ts';
import { html, type Html } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import type { Part } from '../watch.ts';

/** Rows that are shown at once; those between them are folded, and sent as long as there are no more than `whole`. */
const ROWS = { shown: 200, whole: 1000 };
/** Nodes of a plan whose words beside their titles are shown. */
const WORDS = 60;
/** Characters of a value beside its effect. The page of the node has the whole. */
const VALUE = 2000;
/** Characters of the values that a page shows beside effects; of the others it says where they are. */
const VALUES = 100_000;

export interface OutlineParts {
  /** The whole, which is sent again when its rows are others. */
  readonly whole: Part;
  readonly rows: ReadonlyMap<string, Part>;
}

interface Shown {
  readonly workflowId: string;
  readonly nodes: readonly SeenNode[];
  readonly plan?: CompiledPlan | undefined;
}

/** The outline of a run, as far as its plan is known; undefined before there is one. */
export function outlineParts(shown: Shown): OutlineParts | undefined {
  const { workflowId, nodes, plan } = shown;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const outline = plan === undefined ? outlineOfNodes(nodes) : outlineOfPlan(plan, byId);
  if (outline === undefined) return undefined;
  const rows = rowsOf(outline, { most: ROWS.shown });
  const isWhole = outline.entries.size <= ROWS.whole;
  const values = valuesBeside(plan, outline);
  const rowOf = (entry: OutlineEntry, prefix = '') =>
    nodeRow({ workflowId, entry, prefix, node: byId.get(entry.id), values: values.get(entry.id) });
  const parts = new Map<string, Part>();
  const lines: (() => Html)[] = [];
  for (const [at, row] of rows.entries()) {
    if (row.kind === 'seen') lines.push(() => seenRow(row));
    else if (row.kind === 'node') lines.push(partOf(`n-${row.entry.id}`, () => rowOf(row.entry, row.prefix)));
    else {
      const entries = row.entries.map((entry) => ({ ...entry, ...factsOf(byId.get(entry.id)) }));
      const words = () => foldedWords(entries);
      if (!isWhole) {
        lines.push(
          partOf(`s-${at}`, () =>
            foldedLink(`s-${at}`, row.prefix, runPath(workflowId, 'nodes'), entries[0]?.id, words()),
          ),
        );
        continue;
      }
      const head = partOf(`s-${at}`, () => html`<summary id="s-${at}">${words()}</summary>`);
      const inner = row.entries.map((entry) => partOf(`n-${entry.id}`, () => rowOf(entry)));
      lines.push(
        () =>
          html`<li>
            ${guide(row.prefix)}
            <details id="f-${at}">
              ${head()}
              <ol>
                ${inner.map((line) => line())}
              </ol>
            </details>
          </li>`,
      );
    }
  }
  const revision = plan?.digest ?? nodes.length;
  const whole = () =>
    html`<ol id="outline" class="outline">
      ${lines.map((line) => line())}
    </ol>`;
  return { whole: { key: `${revision} ${lines.length}`, html: whole }, rows: parts };

  /** A part is made once for each view. */
  function partOf(id: string, make: () => Html): () => Html {
    const made = make();
    const same = () => made;
    parts.set(id, { key: String(made), html: same });
    return same;
  }
}

/** How a node stands, which changes no row's place. Time that runs is counted by the browser. */
function factsOf(node: SeenNode | undefined): Partial<OutlineEntry> {
  if (node === undefined) return {};
  const { title: _title, takes: _takes, ms, ...facts } = entryOfNode(node);
  return { ...facts, ...given({ ms: node.status === 'running' ? undefined : ms, by: byText(node) }) };
}

/** The words of a large plan are those of its effects; their arguments stand below as values. */
function outlineOfPlan(plan: CompiledPlan, byId: ReadonlyMap<string, SeenNode>): Outline {
  const nodes = Object.values(plan.nodesById);
  const isEffect = (id: string) => (byId.get(id)?.effect ?? 'read') !== 'read';
  const told = nodes.map((node) => [node.id, isEffect(node.id) ? withoutArguments(node) : node] as const);
  const more = (id: string) => ({
    ...given({ effect: byId.get(id)?.effect, cost: byId.get(id)?.cost }),
    ...(nodes.length > WORDS && !isEffect(id) && { words: '' }),
  });
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
  const entryOf = ({ id, key, summary, effect, cost, inputs = [] }: SeenNode): OutlineEntry =>
    given({ id, key, title: summary, effect, cost, takes: inputs });
  return { root, entries: new Map(nodes.map((node) => [node.id, entryOf(node)])) };
}

function guide(prefix: string): Html | '' {
  return prefix === '' ? '' : html`<i class="g" aria-hidden="true">${prefix}</i>`;
}

function seenRow({ prefix, entry }: Row & { readonly kind: 'seen' }): Html {
  return html`<li class="seen">
    ${guide(prefix)}<span><a href="#n-${entry.id}">see ${placeName(entry)}</a></span>
  </li>`;
}

function foldedLink(id: string, prefix: string, path: string, from: string | undefined, words: string): Html {
  return html`<li id="${id}" class="folded">
    ${guide(prefix)}<span><a href="${path}?from=${from}">${words}</a></span>
  </li>`;
}

interface NodeRow {
  readonly workflowId: string;
  readonly entry: OutlineEntry;
  readonly prefix: string;
  readonly node: SeenNode | undefined;
  readonly values: readonly NamedValue[] | undefined;
}

/** A node: its mark, its name, its badge, its title, what it gave; below it its values and why it has no result. */
export function nodeRow({ workflowId, entry: plain, prefix, node, values }: NodeRow): Html {
  const entry = { ...plain, ...factsOf(node) };
  const { id, standing = 'pending', title, words = '' } = entry;
  const badge = badgeOf(entry);
  const tail = tailOf(entry).join(' · ');
  const told = node === undefined ? '' : tellingOf(node);
  const href = nodePath(workflowId, id);
  return html`<li id="n-${id}" class="${standing}">
    ${guide(prefix)}
    <div>
      ${mark(entry)}<a href="${href}">${placeName(entry)}</a>${badge !== '' && html` <b class="fx">${badge}</b>`}
      ${oneLine(title)}${tail !== '' && html` <span class="tail">${tail}</span>`}${
        standing === 'running' &&
        node?.scheduledAt !== undefined &&
        html` <span class="tail" data-since="${node.scheduledAt}"></span>`
      }${words !== '' && html`<p class="words">${cutCharacters(words, VALUE)}</p>`}${told !== '' && html`<p class="told">${cutCharacters(told, VALUE)}</p>`}${
        values !== undefined && valueList(values, href)
      }
    </div>
  </li>`;
}

/** The mark with its word for those who do not see it; a node before a run has neither. */
export function mark({ standing }: Pick<OutlineEntry, 'standing'>): Html | '' {
  if (standing === undefined) return '';
  return html`<i class="m" aria-hidden="true">${MARKS[standing].mark}</i><span class="vh">${standing} </span>`;
}

export type NamedValue = readonly [name: string, json: string];

/** The arguments of a node, each with its value as JSON; empty where it has none. */
export function argumentsOf(args: JsonValue | undefined): readonly NamedValue[] {
  if (args === undefined) return [];
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [['arguments', canonicalJson(args)]];
  return Object.entries(args).map(([name, value]) => [name, canonicalJson(value as JsonValue)]);
}

export function valueList(values: readonly NamedValue[], href?: string): Html {
  const most = href === undefined ? Infinity : VALUE;
  return html`<dl class="values">
    ${values.map(
      ([name, json]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>
            <code>${cutCharacters(json, most)}</code>${json.length > most && html` <a href="${href}">the whole value</a>`}
          </dd>
        </div>`,
    )}
  </dl>`;
}

/** By node the values that its effect above read is given, as many as a page holds. */
function valuesBeside(plan: CompiledPlan | undefined, outline: Outline): ReadonlyMap<string, readonly NamedValue[]> {
  const found = new Map<string, readonly NamedValue[]>();
  let room = VALUES;
  for (const { id, effect = 'read' } of outline.entries.values()) {
    const node = plan?.nodesById[id];
    if (effect === 'read' || node?.kind !== 'task') continue;
    const values = argumentsOf(node.arguments);
    room -= values.reduce((sum, [name, json]) => sum + name.length + Math.min(json.length, VALUE), 0);
    if (values.length > 0) found.set(id, room < 0 ? [['its values', 'are on its page']] : values);
  }
  return found;
}
