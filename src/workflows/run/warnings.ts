import { nodeId, type RunSlice } from '../../protocol/index.ts';

const WARNED = 5;

/** The warnings of the document and of these nodes for people who approve, one per line. */
export function warningsOf(
  { warnings = {}, documentWarnings = [] }: RunSlice,
  nodes: Iterable<number>,
): readonly string[] {
  const places = [...nodes].filter((node) => warnings[node] !== undefined);
  const lines = [...documentWarnings, ...places.slice(0, WARNED).map((node) => `${nodeId(node)}: ${warnings[node]}`)];
  return places.length > WARNED ? [...lines, `${places.length - WARNED} more nodes have warnings`] : lines;
}
