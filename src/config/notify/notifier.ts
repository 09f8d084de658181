/**
 * Sends each message to each receiver, whichever worker finds it first. A message is claimed in the store before it is
 * sent and marked afterwards. If a claim has no mark for a while, another worker claims and sends the message again,
 * with the same id. Times between looks are measured on a clock that nobody sets.
 */

import pLimit from 'p-limit';
import { itemKey } from '../../client/item-key.ts';
import { hashOf, runScope, type Store } from '../../store/index.ts';
import type { OpenItem } from '../../protocol/index.ts';
import { durationText } from '../../plan/text/index.ts';
import {
  itemMessage,
  runMessage,
  stepsDue,
  type RunNotice,
  type NoticeStep,
  type MessageSurroundings,
} from './messages.ts';
import type { Receiver } from './receivers.ts';

/** Longer than a look, a send and a mark take together. */
const TAKE_OVER_MS = 30_000;
/** A look that is younger serves the next send as well. */
const FRESH_MS = 2000;
/** Messages on their way at once, to all receivers. */
const AT_ONCE = 40;
/** A receiver that has failed is left alone for so long, twice as long after each further failure. */
const PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 300_000;
const NOTHING = new Uint8Array();

/** The chain of executions that a message is about. */
export interface NotifiedRun {
  readonly workflowId: string;
  readonly firstRunId: string;
}

export interface Notifying extends MessageSurroundings {
  readonly receivers: readonly Receiver[];
  readonly store: Pick<Store, 'get' | 'put' | 'list' | 'remove'>;
  readonly namespace: string;
  readonly goalOf: (run: NotifiedRun) => Promise<string | undefined>;
  /** For the worker's log. */
  readonly note: (line: string) => void;
  /** For tests. */
  readonly takeOverMs?: number;
}

export type Notifier = ReturnType<typeof createNotifier>;

/** What this process knows of the messages of a run. A restart costs two requests to the store for each. */
interface Memory {
  readonly goal: Promise<string | undefined>;
  readonly marked: Set<string>;
  readonly sent: Set<string>;
  /** Claims of others: their number, and when this process saw the last one. */
  readonly claims: Map<string, { readonly tries: number; readonly since: number }>;
}

export function createNotifier(given: Notifying) {
  const { receivers, store, namespace, isEncrypted, note, takeOverMs = TAKE_OVER_MS } = given;
  const memories = new Map<string, Memory>();
  const pauses = new Map<string, { readonly failures: number; readonly until: number }>();
  const stop = new AbortController();
  const slots = pLimit(AT_ONCE);

  function memoryOf(run: NotifiedRun): Memory {
    const known = memories.get(run.firstRunId);
    if (known !== undefined) return known;
    const goal = isEncrypted ? Promise.resolve(undefined) : given.goalOf(run).catch(() => undefined);
    const memory = { goal, marked: new Set<string>(), sent: new Set<string>(), claims: new Map() };
    memories.set(run.firstRunId, memory);
    return memory;
  }

  /** The key of a claim that this process has made, if the message is still to be sent. */
  async function claim(base: string, id: string, { claims, marked }: Memory): Promise<string | undefined> {
    const before = claims.get(id);
    if (before !== undefined && performance.now() - before.since < takeOverMs) return undefined;
    const key = `${base}-${(before?.tries ?? 0) + 1}`;
    const isClaimed = await store.put(key, NOTHING);
    // Another worker may have sent it under a claim with another number.
    if ((await store.get(`${base}-sent`)) !== undefined) marked.add(id);
    else if (isClaimed) return key;
    else {
      let tries = 1;
      for await (const found of store.list(`${base}-`))
        tries = Math.max(tries, Number(found.key.split('-').at(-1)) || 1);
      claims.set(id, { tries, since: performance.now() });
    }
    return undefined;
  }

  async function deliver(
    receiver: Receiver,
    run: NotifiedRun,
    subject: readonly string[],
    isOpen: () => Promise<boolean>,
    message: (goal: string | undefined) => object,
  ): Promise<void> {
    const { workflowId, firstRunId: chain } = run;
    const id = hashOf(JSON.stringify([namespace, chain, receiver.name, ...subject]));
    const base = `${runScope({ namespace, workflowId, chain })}/notices/${id}`;
    const memory = memoryOf(run);
    const mark = async () => {
      await store.put(`${base}-sent`, NOTHING);
      memory.marked.add(id);
    };
    if (memory.marked.has(id)) return;
    if (memory.sent.has(id)) return mark();
    if (isPaused(receiver)) return;
    const key = await claim(base, id, memory);
    if (key === undefined) return;
    try {
      if (await isOpen()) {
        const body = JSON.stringify({ id, ...message(await memory.goal) });
        await receiver.send(id, body, stop.signal).then(
          () => recover(receiver),
          (error: unknown) => fail(receiver, error as Error),
        );
        memory.sent.add(id);
      }
    } catch {
      // Any worker may send it now. A claim that cannot be removed is taken over later.
      await store.remove([key]).catch(() => undefined);
      return;
    }
    await mark();
  }

  function isPaused({ name }: Receiver): boolean {
    return performance.now() < (pauses.get(name)?.until ?? 0);
  }

  function recover({ name }: Receiver): void {
    if (pauses.delete(name)) note(`notify ${name}: messages arrive again`);
  }

  /** Messages that were under way together fail together, and count once. */
  function fail(receiver: Receiver, error: Error): never {
    const { name } = receiver;
    if (!stop.signal.aborted && !isPaused(receiver)) {
      const failures = (pauses.get(name)?.failures ?? 0) + 1;
      const ms = Math.min(PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
      pauses.set(name, { failures, until: performance.now() + ms });
      if (failures === 1)
        note(
          `notify ${name}: ${error.message}; messages wait, the next try is in ${durationText(ms)}, then less often`,
        );
    }
    throw error;
  }

  return {
    /** @param look asks the run again */
    async items(run: NotifiedRun, first: readonly OpenItem[], look: () => Promise<readonly OpenItem[]>): Promise<void> {
      let last = { items: Promise.resolve(first), at: performance.now() };
      const isOpen = async (key: string) => {
        if (performance.now() - last.at > FRESH_MS) last = { items: look(), at: performance.now() };
        return (await last.items).some((item) => itemKey(item) === key);
      };
      const each = (receiver: Receiver, item: OpenItem, step: NoticeStep) => {
        const key = itemKey(item);
        return slots(async () => {
          if (stop.signal.aborted) return;
          await deliver(
            receiver,
            run,
            [key, step.key],
            () => isOpen(key),
            (goal) => itemMessage(item, step, receiver, goal, given),
          );
        });
      };
      const now = Date.now();
      const due = receivers.flatMap((receiver) =>
        first.flatMap((item) => stepsDue(receiver, item, now).map((step) => each(receiver, item, step))),
      );
      await Promise.all(due);
    },
    /** @param forMs how long this has been so */
    async run(run: NotifiedRun, { kind, text, key }: RunNotice, forMs: number): Promise<void> {
      const { workflowId } = run;
      const each = (receiver: Receiver) =>
        slots(() =>
          deliver(receiver, run, [workflowId, kind, key], isTrue, (goal) =>
            runMessage({ kind, text, key }, workflowId, receiver, goal, given),
          ),
        );
      await Promise.all(receivers.filter(({ afterMs }) => afterMs <= forMs).map(each));
    },
    /** Forgets the runs that nothing is known of any more. */
    keep(firstRunIds: ReadonlySet<string>): void {
      for (const id of memories.keys()) if (!firstRunIds.has(id)) memories.delete(id);
    },
    stop: () => stop.abort(new Error('the worker stops')),
  };
}

const isTrue = () => Promise.resolve(true);
