/**
 * Arrivals, and the senders who wait for a reply. Handlers only put a message here and wait; the main loop hands it to
 * a turn, in order. A handler that did the work itself would be cut short, or run twice, when the run continues as new.
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
  /** Of an update. */
  readonly reply: Waiting | undefined;
}

export class Mailbox {
  /** Signals and updates of this history; the server takes so many of each. */
  signals = 0;
  updates = 0;
  private line: Waiter[] = [];
  private readonly waiting = new Map<number, Waiting[]>();
  private isDirty = false;
  /** Fails the workflow task: an error in a callback has no other way to the server. */
  fail!: (bug: unknown) => void;
  /** Rejects with the first of them. */
  readonly bug = new Promise<never>((_, reject) => (this.fail = reject));
  private wake = (): void => undefined;
  private isClosed = false;

  /** Of a signal no sender waits for a reply: thousands may come at once, so that none makes a promise. */
  receiveSignal(arrival: Arrival): void {
    this.signals += 1;
    this.put(arrival);
  }

  receiveUpdate(arrival: MessageArrival): Promise<Reply> {
    this.updates += 1;
    if (this.isClosed) return Promise.resolve(CLOSED);
    return new Promise((reply) => this.put(arrival, reply));
  }

  /** Something that is no message, or a message. */
  put(incoming: Incoming, reply?: Waiting): void {
    if (this.isClosed) return;
    this.line.push({ incoming, reply });
    this.news();
  }

  /** It is time for another turn, though nothing has come. */
  news(): void {
    this.isDirty = true;
    this.wake();
  }

  /** Resolves when anything has happened since the last delivery, and all that came with it stands in line. */
  awaitNews(): Promise<void> {
    const news = new Promise<void>((wake) => (this.isDirty ? wake() : (this.wake = wake)));
    return news.then(afterAllJobs);
  }

  /**
   * Leaves the rest to another activation: the next arrival that is no end of the run's own work brings one, and else a timer. A flood
   * puts timers off.
   */
  async breathe(): Promise<void> {
    const scope = new CancellationScope();
    const hasArrived = () => this.line.some(({ incoming }) => incoming.is !== 'ended');
    await scope.run(() =>
      Promise.race([sleep(1, { summary: 'more messages wait to be heard' }), condition(hasArrived)]),
    );
    // Neither is left behind: the SDK evaluates each condition that waits, in every activation.
    scope.cancel();
  }

  /** Takes all that stands in line to a turn, which tells under which id each is replied to. */
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

  /** The arrivals in line. While a run is handed over all of them come from outside. */
  undelivered(): readonly Incoming[] {
    return this.line.map(({ incoming }) => incoming);
  }

  reply(message: number, reply: Reply): void {
    for (const answer of this.waiting.get(message) ?? []) answer(reply);
    this.waiting.delete(message);
  }

  /** Closes the line: no message is heard any more, and every sender gets a reply. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { reply } of this.line.splice(0)) reply?.(CLOSED);
    for (const id of [...this.waiting.keys()]) this.reply(id, CLOSED);
    await condition(allHandlersFinished);
  }
}

const CLOSED: Reply = refuse('closed', 'the run is closed');

/**
 * Hears the signals between runs that belong together, and of the parts of a run. Both sides know a key that senders of other
 * signals do not know; a signal without it is ignored.
 */
export function hearRuns(mailbox: Mailbox): void {
  for (const is of [AGENT_SIGNAL, PART_SIGNAL] as const)
    setHandler(defineSignal<[unknown]>(is), (message) => mailbox.receiveSignal({ is, message, at: now() }));
}

/** Resolves when the server has confirmed or refused it: it may be dropped in the task that ends a history. */
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

/** The last message of a run, which sends no other after it. */
export async function signalUntilTaken(signal: RunSignal): Promise<void> {
  for (let failures = 1; (await signalRun(signal)) === 'failed'; failures += 1)
    await sleep(signalPause(failures), { summary: 'the run whose task this is took no signal' });
}
