/** Two plans side by side: what an edit changes, or what has changed since somebody looked. */

import { diffPlans, nodeSentence, nodeTitle, type CompiledPlan, type PlanNode } from '../../language/plan/index.ts';
import { placeName } from '../../language/outline/index.ts';
import { counted } from '../../language/text/index.ts';
import { html, type Html, type Piece } from '../markup.ts';
import { argumentsOf, valueList } from './outline.ts';

/** Changes that are shown; the rest is counted. */
const SHOWN = 200;

type Side = PlanNode | undefined;
interface Change {
  readonly word: string;
  readonly was: Side;
  readonly is: Side;
}

/** Every change of a node in a row of its own, the plan before on the left. */
export function sideBySide(before: CompiledPlan, after: CompiledPlan): Html {
  const { same, fields, removed, added, changed, moved, renamed, reused } = diffPlans(before, after);
  if (same) return html`<p>It is the same plan.</p>`;
  const [old, now] = [before.nodesById, after.nodesById];
  const changes: Change[] = [
    ...changed.map((one) => ({
      word: one.own ? 'changed' : 'takes something else',
      was: old[one.before],
      is: now[one.after],
    })),
    ...removed.map((id) => ({ word: 'removed', was: old[id], is: undefined })),
    ...added.map((id) => ({ word: 'added', was: undefined, is: now[id] })),
    ...moved.map((one) => ({ word: 'moved', was: old[one.before], is: now[one.after] })),
    ...renamed.map((one) => ({ word: 'renamed', was: old[one.before], is: now[one.after] })),
  ];
  const ofPlan = fields.map(
    (field) =>
      html`<tr>
        <th scope="row">${field}</th>
        <td class="was">${text(before[field])}</td>
        <td class="is">${text(after[field])}</td>
      </tr>`,
  );
  const rows = changes.slice(0, SHOWN).map(
    ({ word, was, is }) =>
      html`<tr class="${word}">
        <th scope="row">${word}</th>
        <td class="was">${nodeOf(was, before, is)}</td>
        <td class="is">${nodeOf(is, after, was)}</td>
      </tr>`,
  );
  const more = changes.length - SHOWN;
  return html`<div class="scroll" role="region" aria-label="What changes" tabindex="0">
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">before (${before.digest.slice(0, 8)})</th>
            <th scope="col">after (${after.digest.slice(0, 8)})</th>
          </tr>
        </thead>
        <tbody>
          ${ofPlan}${rows}
        </tbody>
      </table>
    </div>
    <p>${more > 0 && `${counted(more, 'more change')}; `}${counted(reused.length, 'node')} as before</p>`;
}

/** A node with its values; those that the other side has otherwise are marked. */
function nodeOf(node: Side, plan: CompiledPlan, other: Side): Piece {
  if (node === undefined) return '';
  const key = node.kind === 'task' ? node.contextKey : undefined;
  const values = node.kind === 'task' ? argumentsOf(node.arguments) : [];
  const others = new Map(other?.kind === 'task' ? argumentsOf(other.arguments) : []);
  const told = values.filter(([name, json]) => others.get(name) !== json);
  return html`<b>${placeName({ id: node.id, ...(key !== undefined && { key }) })}</b> ${nodeTitle(node)}
    <p class="words">${nodeSentence(node, plan)}</p>
    ${told.length > 0 && valueList(told)}`;
}

function text(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}
