/** The stored form of a plan as text. */

import { canonicalJson } from './canonical-json.ts';
import { idsText, quoted, taskText } from './task-fields.ts';
import type { Colocate, CombineNode, JsonValue, Region, StoredPlan } from '../compiled-plan.ts';

/**
 * Writes the stored form of a plan, the RFC 8785 canonical JSON of its `StoredPlan`, in parts.
 * Record by record and key by key, in canonical order: `canonicalJson` of the same would take twice as long.
 */
export function writeStoredPlan(plan: StoredPlan, write: (part: string) => void): void {
  write('{"combines":[');
  writeRecords(plan.combines, combineText, write);
  let text = '],';
  if (plan.complexity !== undefined) text += `"complexity":"${plan.complexity}",`;
  if (plan.estimatedMinutes !== undefined) text += `"estimatedMinutes":${plan.estimatedMinutes},`;
  if (plan.external !== undefined) text += `"external":${canonicalJson(plan.external)},`;
  write(`${text}"goal":${quoted(plan.goal)},"root":"${plan.root}","tasks":[`);
  writeRecords(plan.tasks, taskText, write);
  write(`],"version":${plan.version}}`);
}

export function colocateText({
  downstream,
  invert,
  left,
  operation,
  output,
  right,
  strand,
  upstream,
}: Colocate): string {
  return (
    `{"downstream":${downstream},${invert === true ? '"invert":true,' : ''}${regionMember('left', left)}"operation":"${operation}","output":"${output}",` +
    `${regionMember('right', right)}"strand":"${strand}","upstream":${upstream}}`
  );
}

/** A text of millions of pieces is cheap to build only in parts that are done with while they are young. */
const PART_LENGTH = 16_384;

function writeRecords<Node>(
  nodes: readonly Node[],
  textOf: (node: Node) => string,
  write: (part: string) => void,
): void {
  let text = '';
  for (const node of nodes) {
    if (text.length > PART_LENGTH) {
      write(text);
      text = '';
    }
    text += node === nodes[0] ? textOf(node) : `,${textOf(node)}`;
  }
  write(text);
}

function combineText({ colocate, dependsOn, displayName, id, inputs, key, operator }: CombineNode): string {
  return (
    `{${colocate === undefined ? '' : `"colocate":${colocateText(colocate)},`}"dependsOn":${idsText(dependsOn)},"displayName":${quoted(displayName)},"id":"${id}",` +
    `"inputs":${idsText(inputs)},"key":"${key}","kind":"combine","operator":"${operator}"}`
  );
}

function regionMember(name: 'left' | 'right', region: Region | undefined): string {
  return region === undefined ? '' : `"${name}":${canonicalJson(region as JsonValue)},`;
}
