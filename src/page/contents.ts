import { endFacts, type OutputOf, type Plans } from '../operations/index.ts';
import { readStored } from '../operations/result.ts';
import { given, type ResultHandle, type TraceEntry } from '../protocol/index.ts';
import { toResultJson } from '../store/index.ts';
import type { Seen } from './watch.ts';

type PersonEntry = Extract<TraceEntry, { readonly what: 'decision' | 'answer' | 'control' }>;
const PEOPLE: ReadonlySet<string> = new Set(['decision', 'answer', 'control']);

export interface RunContents {
  readonly answer?: OutputOf<'result'>;
  readonly decisions?: readonly PersonEntry[];
}

/** Maximum size of a result that a page shows, in bytes. Parsing it blocks the process for a tenth of a second. */
export const MAX_RESULT_BYTES = 2_097_152;
const REMEMBERED = 200;

/** Reads these contents. Anything unreadable is omitted. */
export function createContents(plans: Plans) {
  const decided = new Map<string, { readonly key: string; readonly decisions: Promise<readonly PersonEntry[]> }>();

  async function readDecisions(workflowId: string): Promise<readonly PersonEntry[]> {
    const { trace } = await (await plans.run(workflowId)).run.view(['trace']);
    return trace.entries.filter((entry): entry is PersonEntry => PEOPLE.has(entry.what));
  }

  /** The decisions. They are read again only if the run's state has changed, since a trace may be long. */
  async function decisionsOf({ workflowId, status, end, open }: Seen): Promise<readonly PersonEntry[]> {
    if (status === undefined) return [];
    const { revision, phase, paused } = status;
    const key = JSON.stringify([revision, phase, paused, end?.how, open.map(({ id }) => id)]);
    const last = decided.get(workflowId);
    const forget = () => {
      decided.delete(workflowId);
      return [];
    };
    const decisions = last?.key === key ? last.decisions : readDecisions(workflowId).catch(forget);
    decided.delete(workflowId);
    decided.set(workflowId, { key, decisions });
    for (const oldest of decided.keys()) if (decided.size > REMEMBERED) decided.delete(oldest);
    return decisions;
  }

  return async (seen: Seen): Promise<RunContents> => {
    const result = seen.end && endFacts(seen.end).result;
    const [answer, decisions] = await Promise.all([readContent(plans, seen.workflowId, result), decisionsOf(seen)]);
    return given({ answer, decisions });
  };
}

/** The result; undefined if it is too large or not in this store. The page of the result says which. */
export async function readContent(
  plans: Plans,
  workflowId: string,
  handle: ResultHandle | undefined,
): Promise<OutputOf<'result'> | undefined> {
  if (handle === undefined || handle.bytes > MAX_RESULT_BYTES) return undefined;
  try {
    const stored = await readStored(await plans.run(workflowId), handle);
    return stored.kind === 'set' ? toResultJson(stored.set) : stored;
  } catch {
    return undefined;
  }
}
