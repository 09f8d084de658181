/** Waits for a limited time until something waits for a person, or until the run ends. */

import { given, timeoutSignal, type OpenItem, type RunView } from '../protocol/index.ts';
import type { RunSession } from '../config/project/index.ts';
import { toOperationError } from './operation-error.ts';
import { operation } from './operation.ts';
import type { Plans } from './plans.ts';
import { progressText } from './words/run.ts';
import { openItemsOf, endFacts, factsOfRun, type RunFacts } from './run-facts.ts';
import { itemKey } from '../client/item-key.ts';

/** Maximum time of one wait in ms. MCP hosts give up a call after 60 s. */
const MAX_WAIT_MS = 55_000;

export type KeyedItem = OpenItem & { readonly key: string };

interface Seen extends Partial<Pick<RunView, 'open' | 'trouble'>> {
  readonly status?: RunFacts;
}

/** The state of the run after a wait. If no worker answered, the phase is `unknown`, and `trouble` says why. */
export interface Waited extends Partial<
  Pick<RunFacts, 'outcome' | 'counts' | 'digest' | 'revision' | 'startedAt' | 'waits' | 'fallback'>
> {
  readonly workflowId: string;
  readonly phase: RunFacts['phase'] | 'unknown';
  readonly open: readonly KeyedItem[];
  readonly trouble?: NonNullable<RunView['trouble']>;
}

export const wait = operation({
  does: 'Waits until a run has ended or waits for a person, at most 55 s, and says how it stands then.',
  input: (z) =>
    z.object({
      workflowId: z.string(),
      waitMs: z.int().nonnegative().max(MAX_WAIT_MS).default(MAX_WAIT_MS),
      told: z.array(z.string()).readonly().default([]).describe('keys of open items that end no wait'),
    }),
  async run(plans, { workflowId, waitMs, told }, { signal, onProgress } = {}): Promise<Waited> {
    const session = await plans.run(workflowId);
    const { run } = session;
    const over = timeoutSignal(waitMs);
    const ends = signal === undefined ? over : AbortSignal.any([over, signal]);
    let last: RunView | undefined;
    try {
      if (waitMs > 0)
        for await (const view of run.follow({ signal: ends })) {
          last = view;
          if (view.status !== undefined)
            onProgress?.({ is: view.status.phase, text: progressText(view.status.phase, view.status.counts) });
          if (view.end !== undefined) return { workflowId, phase: 'closed', open: [], ...endFacts(view.end) };
          if (keyed(view.open).some(({ key }) => !told.includes(key))) break;
        }
    } catch (error) {
      if (signal?.aborted === true || !over.aborted) throw error;
    }
    const isReported = last !== undefined && (last.status ?? last.trouble) !== undefined;
    const { status: facts, open = [], trouble }: Seen = isReported ? last! : await seenOnce(session, plans);
    if (facts === undefined) return { workflowId, phase: 'unknown', open: [], ...given({ trouble }) };
    const { phase, outcome, counts, digest, revision, startedAt, waits, fallback } = facts;
    const summary = { phase, ...given({ outcome, counts, digest, revision, startedAt, waits, fallback, trouble }) };
    return { workflowId, ...summary, open: keyed(open) };
  },
});

/** Queries the run once. If no worker answers, that is a valid result: the run continues when a worker runs again. */
async function seenOnce(session: RunSession, { typed }: Plans): Promise<Seen> {
  try {
    const status = await factsOfRun(session);
    return { status, open: await openItemsOf(session.run, status) };
  } catch (error) {
    const { code, message } = toOperationError(error, typed);
    if (code !== 'NO_WORKER') throw error;
    return { trouble: { code: 'no-worker', message } };
  }
}

export function keyed(items: readonly OpenItem[]): readonly KeyedItem[] {
  return items.map((item) => ({ ...item, key: itemKey(item) }));
}
