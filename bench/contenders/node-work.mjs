/** The work of a node of a shape, the same in every engine. */

import { appendFileSync } from 'node:fs';

/** @import { Shape } from '../shapes.ts' */

/** The length of an id such as `G_0000_000000000000`, with a comma and quotes in JSON. */
const BYTES_PER_ID = 22;

/**
 * The ids that a node without inputs gives: other ones for each node.
 * @param {number} node
 * @param {number} bytes
 * @returns {string[]}
 */
export function idsOf(node, bytes) {
  const prefix = `G_${String(node).padStart(4, '0')}_`;
  return Array.from({ length: Math.floor(bytes / BYTES_PER_ID) }, (_, at) => prefix + String(at).padStart(12, '0'));
}

/**
 * Naps, and notes in the ledger that it began and that it ended.
 * @param {{ node: number, ms?: number | undefined, ledger?: string | undefined }} work
 * @returns {Promise<void>}
 */
export async function carryOut({ node, ms = 0, ledger }) {
  // A synchronous append is one write: a kill leaves no half of a line, and no line out of order.
  if (ledger !== undefined) appendFileSync(ledger, `b ${node}\n`);
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  if (ledger !== undefined) appendFileSync(ledger, `e ${node}\n`);
}

/**
 * A whole node for engines that have no union of their own.
 * @param {Shape} shape
 * @param {number} node
 * @param {{ records: string[] }[]} inputs
 * @returns {Promise<{ kind: 'set', records: string[] }>}
 */
export async function resultOf({ naps, bytes = 0, ledger }, node, inputs) {
  const joins = inputs.length > 1;
  await carryOut({ node, ms: naps[node], ledger: joins ? undefined : ledger });
  if (inputs.length === 0) return { kind: 'set', records: idsOf(node, bytes) };
  return { kind: 'set', records: joins ? [...new Set(inputs.flatMap(({ records }) => records))] : [] };
}
