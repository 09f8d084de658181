/** The operators once more, as nested loops over records that follow the wording of the rules. Shares no code with src. */

import type { ColocateParameters, ResultRecord } from '../../src/algebra/index.ts';

export interface OracleMatch {
  readonly id: string;
  readonly matches: number;
}

/** Pairs are tried one by one; `contains`: the left window contains the right record, `within`: the reverse. */
export function colocateByPairs(
  left: readonly ResultRecord[],
  right: readonly ResultRecord[],
  { upstream, downstream, strand, operation, output }: ColocateParameters,
): OracleMatch[] {
  const counts = new Map<string, number>();
  for (const a of left) {
    for (const b of right) {
      if (a.location === undefined || b.location === undefined) throw new Error('the oracle takes located records');
      if (a.location.sequence !== b.location.sequence) continue;
      const stranded = a.location.strand !== 0 && b.location.strand !== 0;
      if (stranded && strand === 'same' && a.location.strand !== b.location.strand) continue;
      if (stranded && strand === 'opposite' && a.location.strand === b.location.strand) continue;
      const isReverse = a.location.strand === -1;
      const first = isReverse ? a.location.start - downstream : a.location.start - upstream;
      const last = isReverse ? a.location.stop + upstream : a.location.stop + downstream;
      const { start, stop } = b.location;
      const meets = {
        overlap: first <= stop && start <= last,
        contains: first <= start && stop <= last,
        within: start <= first && last <= stop,
      }[operation];
      if (!meets) continue;
      const { id } = output === 'left' ? a : b;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return [...counts].map(([id, matches]) => ({ id, matches })).sort((x, y) => (x.id < y.id ? -1 : 1));
}
