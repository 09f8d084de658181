import type { TraceEntry } from '../../protocol/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import type { View } from '../row-command.ts';
import { entryTable, roundTable, type TraceLine } from '../view/index.ts';
import { attemptHistoryText, missingText, roundLines } from '../../operations/words/index.ts';

export const traceView: View<'trace'> = {
  readsConfig: ({ rounds }) => rounds === true,
  // Prints jsonl as the audit: what the run itself recorded, without attempts, which only the server knows.
  input: ({ output }) => ({ nodes: output !== 'jsonl' }),
  json: ({ loop, ...trace }) => loop ?? trace,
  show(trace, { typed, output: { lineColumns: columns } }) {
    if (trace.loop === undefined) return entryTable(inOrder(trace), { columns }, true);
    const { rounds } = trace.loop;
    return typed['format'] === 'markdown' ? roundTable(rounds) : roundLines(rounds);
  },
  notes: ({ missing, dropped }) => [
    ...(missing === undefined ? [] : [`note: ${missingText(missing)}`]),
    ...(dropped === 0
      ? []
      : [`note: ${dropped} more entries about nodes, questions and refused messages were not kept by the run`]),
  ],
};

/** Adds a line for each node, at the start of its last attempt, except for attempts before the first entry. */
export function inOrder({ entries, nodes }: Pick<OutputOf<'trace'>, 'entries' | 'nodes'>): readonly TraceLine[] {
  const [first] = entries;
  if (first === undefined) return [];
  const lines = entries.map((entry): TraceLine => ({ ...entry, text: `${entry.text}${mark(entry.said)}` }));
  const attempts = nodes.flatMap((node): TraceLine[] => {
    const { startedAt: at } = node;
    return at === undefined || at < first.at ? [] : [{ at, what: 'node', text: attemptHistoryText(node) }];
  });
  // The run's own entries keep their order even if a worker's clock differs.
  const later = attempts.toSorted((a, b) => a.at.localeCompare(b.at));
  const merged = lines.flatMap((entry) => {
    const place = later.findIndex(({ at }) => at >= entry.at);
    return [...later.splice(0, place === -1 ? later.length : place), entry];
  });
  return [...merged, ...later];
}

function mark(message: TraceEntry['said']): string {
  if (message === undefined) return '';
  const { by, role } = message;
  const told = [
    ...(by === undefined ? [] : [`${by}${role === undefined ? '' : ` as ${role}`}`]),
    ...('question' in message && message.question !== undefined ? [message.question] : []),
    ...('verified' in message && !message.verified ? ['unverified'] : []),
  ];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
