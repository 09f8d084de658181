/** A wait beside a run that never lasts: until something waits for a person, until the end, or until its time is over. */

import { followRun, type RunView } from '../client/follow/index.ts';
import { given, type OpenItem, type RunStatus } from '../protocol/index.ts';
import { itemKey } from './open-item.ts';
import { operation } from './operation.ts';
import { openOf, saidBy, standingOf } from './seen-run.ts';

/** Hosts of tools give up on a call after 60 s. */
const MOST_WAIT_MS = 55_000;

/** An open item with the key that an answer to it names. */
export type KeyedItem = OpenItem & { readonly key: string };

export const wait = operation({
  name: 'wait',
  does: 'Waits until a run has ended or waits for a person, at most 55 s, and says how it stands then.',
  input: (z) =>
    z.object({
      workflowId: z.string(),
      waitMs: z.int().nonnegative().max(MOST_WAIT_MS).default(MOST_WAIT_MS),
      told: z.array(z.string()).readonly().default([]).describe('keys of open items that end no wait'),
    }),
  output: (z) => z.looseObject({ workflowId: z.string(), phase: z.string(), open: z.array(z.unknown()) }),
  async run(plans, { workflowId, waitMs, told }, { signal, hear } = {}) {
    const session = await plans.run(workflowId);
    const { run } = session;
    const over = AbortSignal.timeout(waitMs);
    const ends = signal === undefined ? over : AbortSignal.any([over, signal]);
    let last: RunView | undefined;
    try {
      for await (const view of followRun(run, { signal: ends, server: session })) {
        last = view;
        if (view.status !== undefined) hear?.({ is: view.status.phase, text: progressText(view.status) });
        if (view.end !== undefined) return { workflowId, phase: 'closed' as const, open: [], ...saidBy(view.end) };
        if (keyed(view.open).some(({ key }) => !told.includes(key))) break;
      }
    } catch (error) {
      if (signal?.aborted === true || !over.aborted) throw error;
    }
    const { trouble, status, open } = last ?? {};
    // A run that nobody has told of yet may have much to say at once.
    const standing = status ?? (trouble === undefined ? await standingOf(session) : undefined);
    if (standing === undefined) return given({ workflowId, phase: 'unknown' as const, open: [], trouble });
    const items = open ?? (await openOf(run, standing));
    const { phase, counts, digest, revision, waits, fallback } = standing;
    return given({ workflowId, phase, counts, digest, revision, waits, fallback, open: keyed(items), trouble });
  },
});

export function keyed(items: readonly OpenItem[]): readonly KeyedItem[] {
  return items.map((item) => ({ ...item, key: itemKey(item) }));
}

function progressText({ phase, counts: { succeeded, reused, total } }: RunStatus): string {
  return `${phase}: ${succeeded + reused} of ${total} nodes`;
}
