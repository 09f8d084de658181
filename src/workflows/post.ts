/**
 * What arrives, and who waits for a reply. Handlers only put a message here and wait; the main loop takes it in, in
 * order. A handler that did the work itself would be cut short, or run twice, when the run goes on in a new history.
 */

import { allHandlersFinished, condition } from '@temporalio/workflow';
import { refuse, type Arrival, type MessageName, type Reply } from '../contract/index.ts';
import { now } from './now.ts';

export class Post {
  /** Signals and updates of this history; the server takes so many of each. */
  signals = 0;
  updates = 0;
  private arrivals: { readonly arrival: Arrival; readonly reply: (reply: Reply) => void }[] = [];
  private readonly waiting = new Map<number, ((reply: Reply) => void)[]>();
  private isDirty = false;
  private isClosed = false;

  /** By a signal, which nobody waits for: thousands may come at once, so that none makes a promise. */
  drop(name: MessageName, payload: unknown): void {
    this.signals += 1;
    if (this.isClosed) return;
    this.isDirty = true;
    this.arrivals.push({ arrival: { name, payload, at: now() }, reply: NOBODY });
  }

  /** @param update the id of the update it came as */
  say(name: MessageName, payload: unknown, update: string): Promise<Reply> {
    this.updates += 1;
    if (this.isClosed) return Promise.resolve(CLOSED);
    this.isDirty = true;
    return new Promise((reply) => {
      this.arrivals.push({ arrival: { name, payload, at: now(), update }, reply });
    });
  }

  /** Something else has happened that the main loop looks at. */
  news(): void {
    this.isDirty = true;
  }

  /** Resolves when anything has happened since it resolved last. */
  async awaitNews(): Promise<void> {
    await condition(() => this.isDirty);
    this.isDirty = false;
  }

  /** Resolves when something has arrived that was not handed over. */
  awaitArrival(): Promise<void> {
    return condition(() => this.arrivals.length > 0);
  }

  /** Hands over what has arrived. `take` gives the id under which it is replied to. */
  deliver(take: (arrival: Arrival) => number): void {
    for (const { arrival, reply } of this.arrivals.splice(0)) {
      const id = take(arrival);
      if (reply === NOBODY) continue;
      const others = this.waiting.get(id);
      if (others === undefined) this.waiting.set(id, [reply]);
      else others.push(reply);
    }
  }

  /** What has arrived and was not handed over. */
  undelivered(): readonly Arrival[] {
    return this.arrivals.map(({ arrival }) => arrival);
  }

  reply(message: number, reply: Reply): void {
    for (const tell of this.waiting.get(message) ?? []) tell(reply);
    this.waiting.delete(message);
  }

  /** Nobody is heard any more, and nobody is left without a reply. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { reply } of this.arrivals.splice(0)) reply(CLOSED);
    for (const id of [...this.waiting.keys()]) this.reply(id, CLOSED);
    await condition(allHandlersFinished);
  }
}

const NOBODY = (): void => undefined;

const CLOSED: Reply = refuse('closed', 'the run is closed');
