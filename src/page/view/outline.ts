import { MARKS, nodeLabel, tailOf, valueText, type OutlineEntry, type ShownValue } from '../../plan/outline/index.ts';
import { valuesOf, type PlanNode } from '../../plan/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import { nodeRemark } from '../../operations/words/index.ts';
import { given } from '../../protocol/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { entriesOf, groupsOf, detailsByNode, type Group, type PlanOnPage, type NodeDetails } from './fold.ts';
import { pictureOf } from './picture.ts';
import { axisHtml, axisOf, barOf, type Times } from './timeline.ts';
import { effectChip } from './words.ts';

/** Maximum characters of a row's text and of an effect's values. The node's page shows everything. */
const VALUE = 2000;
interface PlanInTime extends PlanOnPage {
  readonly times?: Times | undefined;
  readonly waitsFor?: ReadonlyMap<string, string>;
  /** Returns what to show below these nodes, such as their agents. */
  readonly below?: (nodes: readonly string[]) => HtmlPiece;
}

export async function renderPlan(view: PlanInTime): Promise<readonly [picture: Html | '', rows: Html]> {
  const { workflowId, times, waitsFor, below } = view;
  const entries = entriesOf(view);
  const axis = times && axisOf(entries, times);
  const groups = groupsOf(entries);
  const full = detailsByNode(view, groups);
  const rows = groups.map((group) => {
    const entry = full.get(group.id)!;
    const bar = axis && barOf(group.entries, axis, waitsFor?.get(group.id));
    const inside = below?.(group.entries.map(({ id }) => id));
    if (group.entries.length > 1) return groupRow(group, { workflowId, entry, bar, inside });
    // A node with a bar shows its values on its own page.
    const values = bar || groups.length < entries.length ? [] : valuesIn(view.plan?.nodesById[group.id]);
    return nodeRow({ workflowId, entry, bar, inside, values });
  });
  const hasBegun = entries.some(({ node }) => node?.scheduledAt !== undefined);
  const head = axis !== undefined && hasBegun && axisHtml(axis);
  return [await pictureOf(groups, full, view), html`<ol class="outline">${head}${rows}</ol>`];
}

export function valuesIn(node: PlanNode | undefined): readonly ShownValue[] {
  const { capability } = node?.kind === 'task' ? node : {};
  return [...(capability === undefined ? [] : [{ name: 'by', text: capability }]), ...valuesOf(node)];
}

export function groupWith(view: PlanOnPage, id: string): ReadonlySet<string> {
  const group = groupsOf(entriesOf(view)).find((one) => one.id === id);
  return new Set(group?.entries.map((one) => one.id));
}

function groupRow({ id, entries }: Group, { workflowId, entry: first, bar, inside }: NodeRow): Html {
  const { standing = 'pending', operator, node, title } = first;
  const href = workflowId && `${runPath(workflowId, 'nodes')}?like=${encodeURIComponent(id)}`;
  const many = `${entries.length} × ${operator ?? node?.executor ?? ''}`;
  return html`<li class="${standing}"><div>${signOf(first)}${linked(href, many)}${effectChip(first)}
    ${standing} <span class="tail">such as ${oneLine(title)}</span>${inside}</div>${bar}</li>`;
}

interface NodeRow {
  readonly workflowId?: string | undefined;
  readonly entry: NodeDetails;
  readonly bar?: HtmlPiece;
  readonly inside?: HtmlPiece;
  readonly values?: readonly ShownValue[];
}

/** A row: sign, name, badge, title and result. Below them: values, and the reason for a missing result. */
export function nodeRow({ workflowId, entry, bar, inside, values = [] }: NodeRow): Html {
  const { id, standing, title, node } = entry;
  const tail = tailOf(given({ ...entry, ms: bar ? undefined : entry.ms })).join(' · ');
  const failure = node === undefined ? '' : nodeRemark(node);
  const href = workflowId && nodePath(workflowId, id);
  const since =
    standing === 'running' &&
    node?.scheduledAt !== undefined &&
    html` <span class="tail" data-since="${node.scheduledAt}"></span>`;
  return html`<li id="n-${id}" class="${standing ?? 'pending'}"><div>
    ${signOf(entry)}${linked(href, nodeLabel(entry))}${effectChip(entry)} ${oneLine(title)}
    ${tail !== '' && html`<span class="tail">${tail}</span>`}${since}
    ${values.length > 0 && valueList(values.map((one) => ({ ...one, text: cutCharacters(one.text, VALUE) })))}
    ${failure !== '' && html`<p class="told">${cutCharacters(failure, VALUE)}</p>`}${inside}</div>${bar}</li>`;
}

function linked(href: string | undefined, word: string): HtmlPiece {
  return href ? html`<a href="${href}">${word}</a>` : word;
}

/** The sign with a text for screen readers; none before the run. */
export function signOf({ standing }: Pick<OutlineEntry, 'standing'>): HtmlPiece {
  return (
    standing !== undefined &&
    html`<i class="m ${standing}" aria-hidden="true">${MARKS[standing].mark}</i><span class="vh">${standing} </span>`
  );
}

/** The values of an effect. @param changes rows of a preview, such as `magnet-12  43.9 A -> 46 A` */
export function valueList(values: readonly ShownValue[], changes: readonly string[] = []): Html {
  const rows = values.map((value) => {
    const text = valueText(value);
    const look = text.length + value.name.length > SHORT && html` class="long"`;
    return html`<div${look}><dt>${value.name}</dt> <dd><code>${text}</code></dd></div>`;
  });
  return html`<dl class="values">${rows}${changes.map(changeRow)}</dl>`;
}

const SHORT = 30;

function changeRow(change: string): Html {
  const at = change.indexOf('  ');
  const [now, then, ...more] = change.slice(at + 2).split(' -> ');
  if (at < 0 || then === undefined || more.length > 0)
    return html`<div class="long"><dt>change</dt> <dd><b>${change}</b></dd></div>`;
  return html`<div class="long"><dt>${change.slice(0, at)}</dt> <dd>now <code>${now}</code> → <code>${then}</code></dd></div>`;
}
