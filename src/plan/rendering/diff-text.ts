/** The difference of two plans as lines for people. */

import { oneLine } from '../../text/index.ts';
import { canonicalJson } from '../digest/index.ts';
import { nodeSentence } from './node-sentence.ts';
import type { CompiledPlan } from '../compiled-plan.ts';
import type { PlanDiff } from './diff.ts';

/**
 * A difference as lines for people: `+` added, `-` removed, `~` changed, `>` moved, `"` shown under another name, and
 * how many nodes are as before. Ids are those of `after`; a removed node has that of `before`.
 *
 * @example renderDiff(diffPlans(before, after), before, after); // '+ node_3: Carry out "Rank".\n= 2 nodes as before'
 */
export function renderDiff(diff: PlanDiff, before: CompiledPlan, after: CompiledPlan): string {
  const now = (id: string): string => nodeSentence(after.nodesById[id]!, after);
  const was = (id: string): string => nodeSentence(before.nodesById[id]!, before);
  const lines = diff.fields.map((field) => `~ ${field}: ${valueText(before[field])} -> ${valueText(after[field])}`);
  for (const id of diff.removed) lines.push(`- ${id}: ${was(id)}`);
  for (const id of diff.added) lines.push(`+ ${id}: ${now(id)}`);
  for (const one of diff.changed) {
    lines.push(
      `~ ${formerly(one)}: ${one.own ? `${now(one.after)} It was: ${was(one.before)}` : `${now(one.after)} What it takes has changed.`}`,
    );
  }
  for (const one of diff.moved) lines.push(`> ${formerly(one)}: ${now(one.after)}`);
  for (const one of diff.renamed) {
    const [old, name] = [before.nodesById[one.before]?.displayName, after.nodesById[one.after]?.displayName];
    lines.push(`" ${formerly(one)}: ${valueText(old)} -> ${valueText(name)}`);
  }
  const kept = diff.reused.length;
  lines.push(`= ${kept} node${kept === 1 ? '' : 's'} as before`);
  return lines.join('\n');
}

function formerly({ before, after }: { readonly before: string; readonly after: string }): string {
  return before === after ? after : `${after} (was ${before})`;
}

function valueText(value: PlanField | undefined): string {
  return value === undefined ? 'none' : oneLine(canonicalJson(value));
}

type PlanField = string | number | readonly string[];
