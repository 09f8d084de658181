/** What a run came to, in one line: how long it took, what it gave, what had to be tried again, who let it run. */

import type { Begun, BegunView, RunEnd } from '../../edge/client/index.ts';
import { amountOf, type NodeView, type ResultHandle, type TraceEntry } from '../../wire/contract/index.ts';
import { nameOf } from '../../language/outline/index.ts';
import type { RunSession } from '../../edge/project/index.ts';
import { counted, durationText, oneLine } from '../../language/text/index.ts';
import { outcomeOf } from './end-report.ts';

/** What is known of an ended run beside its end. All of it may be missing: nobody may be left to tell. */
export interface Receipt {
  /** Milliseconds from its start to its end. */
  readonly ms?: number;
  /** Nodes that took more than one attempt. */
  readonly retried: readonly (Pick<BegunView, 'id' | 'attempt' | 'before'> & { readonly key?: string })[];
  readonly approvedBy: readonly string[];
}

/** Nodes, and people, that the line names; the rest is counted. */
const NAMED = 3;

/**
 * `done in 10.6 s: 2,149 records; 1 retry (node_2, worker lost); approved by reviewer`
 * @param written the file that the run gave, where that is known
 */
export function receiptText(end: RunEnd, { ms, retried, approvedBy }: Receipt, written?: string): string {
  const result = end.how === 'completed' ? end.result.result : undefined;
  const head = `${outcomeOf(end)}${ms === undefined ? '' : ` in ${durationText(ms)}`}`;
  const retries = retried.reduce((sum, { attempt }) => sum + attempt - 1, 0);
  const why = retried
    .slice(0, NAMED)
    .map((one) => [nameOf(one), ...(one.before === undefined ? [] : [one.before])].join(', '));
  const more = retried.length > NAMED ? ` and ${retried.length - NAMED} more` : '';
  return [
    `${head}${result === undefined ? '' : `: ${written ?? givenOf(result)}`}`,
    ...(retries === 0 ? [] : [`${retries} ${retries === 1 ? 'retry' : 'retries'} (${oneLine(why.join('; '))}${more})`]),
    ...(approvedBy.length === 0 ? [] : [`approved by ${peopleOf(approvedBy)}`]),
  ].join('; ');
}

function peopleOf(names: readonly string[]): string {
  const named = names.slice(0, NAMED).map((name) => oneLine(name));
  return `${named.join(', ')}${names.length > NAMED ? ` and ${counted(names.length - NAMED, 'other')}` : ''}`;
}

/** How long a text is says nothing of what is in it. */
function givenOf(result: ResultHandle): string {
  return result.kind === 'text' ? 'a text' : amountOf(result);
}

/** As far as server and worker can tell: a receipt is no reason for a run that has ended to be told otherwise. */
export async function readReceipt({ run }: Pick<RunSession, 'run'>): Promise<Receipt> {
  const [times, begun, status, nodes, entries] = await Promise.all([
    run.times().catch(() => undefined),
    run.begun().catch((): Begun => ({ nodes: [] })),
    run.status().catch(() => undefined),
    all(run.nodes()).catch((): NodeView[] => []),
    all(run.trace()).catch((): TraceEntry[] => []),
  ]);
  const keyOf = new Map(nodes.map(({ id, key }) => [id, key]));
  const from = status?.startedAt ?? times?.startedAt;
  const ms =
    from === undefined || times?.endedAt === undefined ? undefined : Date.parse(times.endedAt) - Date.parse(from);
  const retried = begun.nodes
    .filter(({ attempt }) => attempt > 1)
    .map(({ id, attempt, before }) => {
      const key = keyOf.get(id);
      return { id, attempt, ...(key !== undefined && { key }), ...(before !== undefined && { before }) };
    });
  return { ...(ms !== undefined && { ms }), retried, approvedBy: approversIn(entries) };
}

/** Who has approved, each once, in the order in which they did; the last plan's people of a run that was edited come last. */
export function approversIn(entries: readonly TraceEntry[]): readonly string[] {
  const names = entries.flatMap((entry) => {
    if (entry.what !== 'decision' || entry.said === undefined) return [];
    const { kind, by, role } = entry.said;
    if (kind !== 'approve' && kind !== 'approve-part') return [];
    return [`${by}${role === undefined ? '' : ` as ${role}`}`];
  });
  return [...new Set(names)];
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
