/**
 * Sends each message to each receiver, by whichever worker finds it first. A worker claims a message in the store,
 * sends it, and marks it as sent. If a claim stays without a mark, another worker sends the message again with the same
 * id.
 */

import pLimit from 'p-limit';
import { itemKey } from '../../client/item-key.ts';
import { hashOf, runScope, type Store } from '../../store/index.ts';
import type { OpenItem } from '../../protocol/index.ts';
import { durationText } from '../../plan/text/index.ts';
import { itemMessage, runMessage, stepsDue, type RunNotice, type MessageSurroundings } from './messages.ts';
import { ReceiverError, type Receiver } from './receivers.ts';

/** Age in ms at which another worker takes over a claim without a mark. Sending takes less. */
const TAKE_OVER_MS = 30_000;
const FRESH_MS = 2000;
/** Pause in ms after a receiver's failure. It doubles with each further failure. */
const PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 300_000;
/** Pause in ms between two log lines about messages that one receiver rejected. */
const REFUSALS_NOTED_MS = 3_600_000;
const NOTHING = new Uint8Array();

export interface NotifiedRun {
  readonly workflowId: string;
  readonly firstRunId: string;
}

export interface Notifying extends MessageSurroundings {
  readonly receivers: readonly Receiver[];
  readonly store: Pick<Store, 'get' | 'put' | 'list' | 'remove'>;
  readonly namespace: string;
  readonly goalOf: (run: NotifiedRun) => Promise<string | undefined>;
  readonly note: (line: string) => void;
  /** For tests. */
  readonly takeOverMs?: number;
}

export type Notifier = ReturnType<typeof createNotifier>;

interface Pause {
  readonly failures: number;
  readonly since: number;
  readonly until: number;
}

/**
 * What this process remembers about a run's messages. Without it (after a restart), each message costs two requests to
 * the store.
 */
interface Memory {
  readonly goal: Promise<string | undefined>;
  readonly marked: Set<string>;
  readonly sent: Set<string>;
  readonly underWay: Set<string>;
  /** Messages that a receiver rejected, each with the pause before it is sent again. */
  readonly refused: Map<string, Pause>;
  /** Claims of other workers: their number, and when this process saw the last one. */
  readonly claims: Map<string, { readonly tries: number; readonly since: number }>;
}

export function createNotifier(settings: Notifying) {
  const { receivers, store, namespace, isEncrypted, note, takeOverMs = TAKE_OVER_MS } = settings;
  const memories = new Map<string, Memory>();
  const pauses = new Map<string, Pause>();
  const refusalsNoted = new Map<string, number>();
  const stop = new AbortController();
  const slots = new Map(receivers.map(({ name, atOnce }) => [name, pLimit(atOnce)]));
  const underWay = new Set<Promise<void>>();

  function memoryOf(run: NotifiedRun): Memory {
    const known = memories.get(run.firstRunId);
    if (known !== undefined) return known;
    const goal = isEncrypted ? Promise.resolve(undefined) : settings.goalOf(run).catch(() => undefined);
    const ids = { marked: new Set<string>(), sent: new Set<string>(), underWay: new Set<string>() };
    const memory: Memory = { goal, ...ids, refused: new Map(), claims: new Map() };
    memories.set(run.firstRunId, memory);
    return memory;
  }

  async function claim(base: string, id: string, { claims, marked }: Memory): Promise<string | undefined> {
    const before = claims.get(id);
    if (before !== undefined && performance.now() - before.since < takeOverMs) return undefined;
    const key = `${base}-${(before?.tries ?? 0) + 1}`;
    const isClaimed = await store.put(key, NOTHING);
    // Another worker may have sent the message, with a claim of another number.
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

  /** Sends a message when the receiver is free, unless the message is already being sent. */
  async function deliver(
    receiver: Receiver,
    run: NotifiedRun,
    subject: readonly string[],
    isOpen: () => Promise<boolean>,
    message: (goal: string | undefined) => object,
  ): Promise<void> {
    const id = hashOf(JSON.stringify([namespace, run.firstRunId, receiver.name, ...subject]));
    const memory = memoryOf(run);
    if (memory.marked.has(id) || memory.underWay.has(id)) return;
    memory.underWay.add(id);
    const sending = slots.get(receiver.name)!(async () => {
      if (!stop.signal.aborted) await send(receiver, run, id, isOpen, message);
    }).finally(() => {
      memory.underWay.delete(id);
      underWay.delete(sending);
    });
    underWay.add(sending);
    await sending;
  }

  async function send(
    receiver: Receiver,
    run: NotifiedRun,
    id: string,
    isOpen: () => Promise<boolean>,
    message: (goal: string | undefined) => object,
  ): Promise<void> {
    const { workflowId, firstRunId } = run;
    const base = `${runScope({ namespace, workflowId, firstRunId })}/notices/${id}`;
    const memory = memoryOf(run);
    const mark = async () => {
      await store.put(`${base}-sent`, NOTHING);
      memory.marked.add(id);
    };
    if (memory.sent.has(id)) return mark();
    if (isPaused(pauses.get(receiver.name)) || isPaused(memory.refused.get(id))) return;
    const key = await claim(base, id, memory);
    if (key === undefined) return;
    try {
      // Reads the goal, which may take long, and then checks whether the item is still open.
      const goal = await memory.goal;
      if (await isOpen()) {
        const sentAt = performance.now();
        const body = JSON.stringify({ id, ...message(goal) });
        await receiver.send(id, body, stop.signal).then(
          () => recover(receiver, sentAt),
          (error: unknown) => fail(receiver, error as Error, id, memory),
        );
        memory.sent.add(id);
      }
    } catch {
      // Removes the claim, so that any worker may send the message. If that fails, another worker takes over later.
      await store.remove([key]).catch(() => undefined);
      return;
    }
    await mark();
  }

  function recover({ name }: Receiver, sentAt: number): void {
    const pause = pauses.get(name);
    if (pause !== undefined && sentAt >= pause.until && pauses.delete(name))
      note(`notify ${name}: messages arrive again`);
  }

  /** Starts or prolongs a pause. Messages that were sent at the same time fail together and count once. */
  function fail({ name }: Receiver, error: Error, id: string, { refused }: Memory): never {
    if (stop.signal.aborted) throw error;
    if (error instanceof ReceiverError && error.isRefusal) {
      refused.set(id, nextPause(refused.get(id)));
      if (performance.now() - (refusalsNoted.get(name) ?? -Infinity) >= REFUSALS_NOTED_MS) {
        refusalsNoted.set(name, performance.now());
        note(`notify ${name}: ${error.message} to a message, which is sent again later; others are sent meanwhile`);
      }
    } else if (!isPaused(pauses.get(name))) {
      const pause = nextPause(pauses.get(name));
      pauses.set(name, pause);
      if (pause.failures === 1) {
        const ms = durationText(pause.until - pause.since);
        note(`notify ${name}: ${error.message}; messages wait, the next try is in ${ms}, then less often`);
      }
    }
    throw error;
  }

  return {
    /** Sends the due messages about these open items of a run. @param look queries the items again */
    async items(run: NotifiedRun, first: readonly OpenItem[], look: () => Promise<readonly OpenItem[]>): Promise<void> {
      const keysOf = async (items: Promise<readonly OpenItem[]>) => {
        const keys = new Set((await items).map(itemKey));
        return { keys, at: performance.now() };
      };
      let last = keysOf(Promise.resolve(first));
      const isOpen = async (key: string) => {
        const known = last;
        if (performance.now() - (await known).at > FRESH_MS && last === known) last = keysOf(look());
        return (await last).keys.has(key);
      };
      const now = Date.now();
      const due = first.flatMap((item) => {
        const steps = receivers.flatMap((receiver) =>
          stepsDue(receiver, item, now).map((step) => ({ receiver, step })),
        );
        const key = steps.length === 0 ? '' : itemKey(item);
        return steps.map(({ receiver, step }) =>
          deliver(
            receiver,
            run,
            [key, step.key],
            () => isOpen(key),
            (goal) => itemMessage(item, step, receiver, goal, settings),
          ),
        );
      });
      await Promise.all(due);
    },
    /**
     * Sends a notice about a run.
     * @param forMs how long the problem has lasted
     * @param isStill whether it persists when the message is sent
     */
    async run(
      run: NotifiedRun,
      { kind, text, key }: RunNotice,
      forMs: number,
      isStill: () => boolean = () => true,
    ): Promise<void> {
      const { workflowId } = run;
      const each = (receiver: Receiver) =>
        deliver(
          receiver,
          run,
          [workflowId, kind, key],
          async () => isStill(),
          (goal) => runMessage({ kind, text, key }, workflowId, receiver, goal, settings),
        );
      await Promise.all(receivers.filter(({ afterMs }) => afterMs <= forMs).map(each));
    },
    keep(firstRunIds: ReadonlySet<string>): void {
      for (const id of memories.keys()) if (!firstRunIds.has(id)) memories.delete(id);
    },
    async stop(): Promise<void> {
      stop.abort(new Error('the worker stops'));
      await Promise.allSettled(underWay);
    },
  };
}

function isPaused(pause: Pause | undefined): boolean {
  return performance.now() < (pause?.until ?? 0);
}

function nextPause(before: Pause | undefined): Pause {
  const failures = (before?.failures ?? 0) + 1;
  const since = performance.now();
  return { failures, since, until: since + Math.min(PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS) };
}
