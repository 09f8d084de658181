/**
 * Arrivals, and the senders who wait for replies. A handler only adds its message and waits; the main loop passes
 * arrivals to a turn, in order. If a handler did the work itself, a continue-as-new would cut it off or run it twice.
 */

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { refuse, type Arrival, type MessageArrival, type Reply, AGENT_SIGNAL, PART_SIGNAL } from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { signalPause, type Incoming, type RunSignal, type SignalOutcome } from './run/index.ts';
import { now } from './now.ts';
import { afterAllJobs, factsFirst } from './sdk/whole-activation.ts';

type Waiting = (reply: Reply) => void;

interface Waiter {
  readonly incoming: Incoming;
  /** Only for an update. */
  readonly reply: Waiting | undefined;
}

export class Mailbox {
  /** The number of signals and updates in this history; the server limits both. */
  signals = 0;
  updates = 0;
  private line: Waiter[] = [];
  private readonly waiting = new Map<number, Waiting[]>();
  private isDirty = false;
  /** Fails the workflow task: an error in a callback does not reach the server otherwise. */
  fail!: (bug: unknown) => void;
  /** Rejects with the first bug. */
  readonly bug = new Promise<never>((_, reject) => (this.fail = reject));
  private wake = (): void => undefined;
  private isClosed = false;

  /** Creates no promise: the sender of a signal waits for no reply, and thousands may come at once. */
  receiveSignal(arrival: Arrival): void {
    this.signals += 1;
    this.put(arrival);
  }

  receiveUpdate(arrival: MessageArrival): Promise<Reply> {
    this.updates += 1;
    if (this.isClosed) return Promise.resolve(CLOSED);
    return new Promise((reply) => this.put(arrival, reply));
  }

  /** Adds a message or another arrival. */
  put(incoming: Incoming, reply?: Waiting): void {
    if (this.isClosed) return;
    this.line.push({ incoming, reply });
    this.news();
  }

  /** Requests a turn without an arrival. */
  news(): void {
    this.isDirty = true;
    this.wake();
  }

  /** Resolves when something has happened since the last delivery and everything of that activation is in line. */
  awaitNews(): Promise<void> {
    const news = new Promise<void>((wake) => (this.isDirty ? wake() : (this.wake = wake)));
    return news.then(afterAllJobs);
  }

  /**
   * Ends this activation. The next arrival from outside starts the next one, or a timer if none comes. A flood of
   * messages delays timers.
   */
  async breathe(): Promise<void> {
    const scope = new CancellationScope();
    const hasArrived = () => this.line.some(({ incoming }) => incoming.is !== 'ended');
    await scope.run(() =>
      Promise.race([sleep(1, { summary: 'more messages wait to be heard' }), condition(hasArrived)]),
    );
    // Cleans up both: the SDK evaluates every waiting condition in every activation.
    scope.cancel();
  }

  /** Passes all arrivals to a turn, which returns the id of each reply. */
  deliver<Turn extends { readonly heard: readonly number[] }>(take: (line: readonly Incoming[]) => Turn): Turn {
    this.isDirty = false;
    const line = factsFirst(this.line.splice(0));
    const turn = take(line.map(({ incoming }) => incoming));
    line.forEach(({ reply }, place) => {
      const id = turn.heard[place] ?? 0;
      if (reply !== undefined) this.waiting.set(id, [...(this.waiting.get(id) ?? []), reply]);
    });
    return turn;
  }

  /** The arrivals in line. During a hand-over all of them come from outside. */
  undelivered(): readonly Incoming[] {
    return this.line.map(({ incoming }) => incoming);
  }

  reply(message: number, reply: Reply): void {
    for (const answer of this.waiting.get(message) ?? []) answer(reply);
    this.waiting.delete(message);
  }

  /** Accepts no further message, and replies to every sender. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { reply } of this.line.splice(0)) reply?.(CLOSED);
    for (const id of [...this.waiting.keys()]) this.reply(id, CLOSED);
    await condition(allHandlersFinished);
  }
}

const CLOSED: Reply = refuse('closed', 'the run is closed');

/**
 * Receives the signals between related runs, and those of the parts of a run. Both sides know a key; a signal without
 * it is ignored.
 */
export function receiveRunSignals(mailbox: Mailbox): void {
  for (const is of [AGENT_SIGNAL, PART_SIGNAL] as const)
    setHandler(defineSignal<[unknown]>(is), (message) => mailbox.receiveSignal({ is, message, at: now() }));
}

/** Resolves when the server has confirmed or rejected the signal: the task that ends a history may drop it before. */
export async function signalRun(signal: RunSignal): Promise<SignalOutcome> {
  const { to = workflowInfo().parent?.workflowId } = signal;
  if (to === undefined) return 'gone';
  const run = getExternalWorkflowHandle(to);
  try {
    await ('cancel' in signal ? run.cancel() : run.signal(AGENT_SIGNAL, signal.message));
    return 'taken';
  } catch (error) {
    return messageOf(error).includes('not found') ? 'gone' : 'failed';
  }
}

/** Sends the last message of a run. */
export async function signalUntilTaken(signal: RunSignal): Promise<void> {
  for (let failures = 1; (await signalRun(signal)) === 'failed'; failures += 1)
    await sleep(signalPause(failures), { summary: 'the run whose task this is took no signal' });
}
