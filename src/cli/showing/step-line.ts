/** A step that was decided, or what came of one, as a line. */

import type { ToldStep } from '../../edge/client/follow/index.ts';

/** `agent of node_2: step_1: look up the genes, digest 3fa9c1d2` */
export function stepLine({ node, entry }: ToldStep): string {
  return `${node === undefined ? '' : `agent of ${node}: `}${entry.text.replaceAll(/\s+/g, ' ')}`;
}
