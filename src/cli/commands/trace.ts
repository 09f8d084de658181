/** `planwright trace` in text. */

import type { TraceEntry } from '../../protocol/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import type { View } from '../row-command.ts';
import { entryTable, roundTable, type Happened } from '../view/index.ts';
import { begunText, missingText, roundLines } from '../../operations/words/index.ts';

export const traceView: View<'trace'> = {
  readsConfig: ({ rounds }) => rounds === true,
  // The audit is what the run itself recorded.
  input: ({ output }) => ({ nodes: output !== 'jsonl' }),
  json: ({ loop, ...told }) => loop ?? told,
  show(told, { typed, output: { lineColumns: columns } }) {
    if (told.loop === undefined) return entryTable(inOrder(told), { columns }, true);
    const { rounds } = told.loop;
    return typed['format'] === 'markdown' ? roundTable(rounds) : roundLines(rounds);
  },
  notes: ({ missing, dropped }) => [
    ...(missing === undefined ? [] : [`note: ${missingText(missing)}`]),
    ...(dropped === 0
      ? []
      : [`note: ${dropped} more entries about nodes, questions and refused messages were not kept by the run`]),
  ],
};

/** Adds to each node when its last attempt began; nothing from before the first entry is listed. */
export function inOrder({ entries, nodes }: Pick<OutputOf<'trace'>, 'entries' | 'nodes'>): readonly Happened[] {
  const [first] = entries;
  if (first === undefined) return [];
  const told = entries.map((entry): Happened => ({ ...entry, text: `${entry.text}${mark(entry.said)}` }));
  const begun = nodes.flatMap((node): Happened[] => {
    const { startedAt: at } = node;
    return at === undefined || at < first.at ? [] : [{ at, what: 'node', text: begunText(node) }];
  });
  // The run's own entries keep their order even if a worker's clock differs.
  const later = begun.toSorted((a, b) => a.at.localeCompare(b.at));
  const merged = told.flatMap((entry) => {
    const place = later.findIndex(({ at }) => at >= entry.at);
    return [...later.splice(0, place === -1 ? later.length : place), entry];
  });
  return [...merged, ...later];
}

function mark(said: TraceEntry['said']): string {
  if (said === undefined) return '';
  const { by, role } = said;
  const told = [
    ...(by === undefined ? [] : [`${by}${role === undefined ? '' : ` as ${role}`}`]),
    ...('question' in said && said.question !== undefined ? [said.question] : []),
    ...('verified' in said && !said.verified ? ['unverified'] : []),
  ];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
