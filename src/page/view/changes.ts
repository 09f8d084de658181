/** Compares two plans, for an edit or for the changes since a visit. */

import { nodeLabel } from '../../plan/outline/index.ts';
import {
  diffPlans,
  nodeSentence,
  nodeTitle,
  type CompiledPlan,
  type NodePair,
  type PlanNode,
} from '../../plan/index.ts';
import { counted } from '../../plan/text/index.ts';
import { given } from '../../protocol/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { tableOf } from './layout.ts';
import { valueList, valuesIn } from './outline.ts';

const SHOWN = 200;

export function sideBySide(before: CompiledPlan, after: CompiledPlan): Html {
  const { same, fields, removed, added, changed, moved, renamed, reused } = diffPlans(before, after);
  if (same) return html`<p>It is the same plan.</p>`;
  const pair = (word: string) => (one: NodePair) => [word, one.before, one.after] as const;
  const changes: readonly (readonly [word: string, was: string | undefined, is: string | undefined])[] = [
    ...changed.map((one) => pair(one.own ? 'changed' : 'other inputs')(one)),
    ...removed.map((id) => ['removed', id, undefined] as const),
    ...added.map((id) => ['added', undefined, id] as const),
    ...moved.map(pair('moved')),
    ...renamed.map(pair('renamed')),
  ];
  const ofPlan = fields.map((field) => row('changed', field, textOf(before[field]), textOf(after[field])));
  const ofNodes = changes.slice(0, SHOWN).map(([word, was = '', is = '']) => {
    const [old, now] = [before.nodesById[was], after.nodesById[is]];
    return row(word, word, nodeOf(old, before, now), nodeOf(now, after, old));
  });
  const more = changes.length > SHOWN && `${counted(changes.length - SHOWN, 'more change')}; `;
  const heads = ['Change', `before (${before.digest.slice(0, 8)})`, `after (${after.digest.slice(0, 8)})`];
  return html`${tableOf(heads, [...ofPlan, ...ofNodes], 'What changes', 'changes')}
    <p>${more}${counted(reused.length, 'node')} as before</p>`;
}

function row(kind: string, word: string, was: HtmlPiece, is: HtmlPiece): Html {
  return html`<tr class="${kind}"><th scope="row">${word}</th><td class="was">${was}</td><td class="is">${is}</td></tr>`;
}

function nodeOf(node: PlanNode | undefined, plan: CompiledPlan, other: PlanNode | undefined): HtmlPiece {
  if (node === undefined) return '';
  const others = new Map(valuesIn(other).map(({ name, text }) => [name, text]));
  const values = valuesIn(node).filter(({ name, text }) => others.get(name) !== text);
  const key = node.kind === 'task' ? node.contextKey : undefined;
  return html`<b>${nodeLabel(given({ id: node.id, key }))}</b> ${nodeTitle(node)}
    ${(values.length === 0 || node.dependsOn.length > 0) && html`<p class="meta">${nodeSentence(node, plan)}</p>`}
    ${values.length > 0 && valueList(values)}`;
}

function textOf(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}
