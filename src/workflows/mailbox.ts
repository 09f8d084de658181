/**
 * Queues what arrives at a run, with the senders who wait for replies. Handlers only add to the queue: other work in a
 * handler could be interrupted or repeated when the run continues as new.
 */

import {
  allHandlersFinished,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  workflowInfo,
  currentUpdateInfo,
  defineQuery,
  defineUpdate,
  setDefaultSignalHandler,
} from '@temporalio/workflow';
import {
  refuse,
  type Arrival,
  type MessageArrival,
  type Reply,
  AGENT_SIGNAL,
  PART_SIGNAL,
  BETWEEN_HISTORIES,
  WAITS_BETWEEN,
  given,
  isMalformed,
  MESSAGE_NAMES,
  MESSAGES,
  problemOf,
  QUERIES,
  type MayBeginReply,
  type MessageName,
  type PageRequest,
  type OwnPart,
  type QueryName,
  type Refused,
  type ViewRequest,
  VIEW_REQUEST,
} from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import {
  signalPause,
  type Incoming,
  type RunSignal,
  type SignalOutcome,
  permissionOf,
  approvalTokens,
  replyToUpdate,
  renderView,
  type ReadonlyRun,
} from './run/index.ts';
import { afterAllJobs, messagesLast } from './sdk/activations.ts';
import { openScope } from './sdk/task-scope.ts';
import { HandlerUnfinishedPolicy } from '@temporalio/common';
import { inClear } from './failure-converter.js';
import { toApplicationFailure } from './failures.ts';

type Waiting = (reply: Reply) => void;

interface QueuedArrival {
  readonly incoming: Incoming;
  readonly reply: Waiting | undefined;
}

export class Mailbox {
  /** Numbers of signals and updates in this history, both of which the server limits. */
  signals = 0;
  updates = 0;
  private queue: QueuedArrival[] = [];
  private readonly waiting = new Map<number, Waiting[]>();
  private isDirty = false;
  /** Fails the workflow task. Without it the server would not learn of an error in a callback. */
  fail!: (bug: unknown) => void;
  /** Rejects with the first bug that a callback passes to `fail`. */
  readonly bug = new Promise<never>((_, reject) => (this.fail = reject));
  private wake = (): void => undefined;
  private isClosed = false;

  /** Creates no promise, since thousands of signals may arrive at once and nobody waits for their replies. */
  receiveSignal(arrival: Arrival): void {
    this.signals += 1;
    this.add(arrival);
  }

  receiveUpdate(arrival: MessageArrival): Promise<Reply> {
    this.updates += 1;
    if (this.isClosed) return Promise.resolve(CLOSED);
    return new Promise((reply) => this.add(arrival, reply));
  }

  add(incoming: Incoming, reply?: Waiting): void {
    if (this.isClosed) return;
    this.queue.push({ incoming, reply });
    this.requestTurn();
  }

  requestTurn(): void {
    this.isDirty = true;
    this.wake();
  }

  /** Resolves when something has arrived and the queue has all arrivals of the current activation. */
  awaitTurn(): Promise<void> {
    const hasArrived = new Promise<void>((wake) => (this.isDirty ? wake() : (this.wake = wake)));
    return hasArrived.then(afterAllJobs);
  }

  /**
   * Ends this activation. The next message starts another one, or a timer of 1 ms if no message comes. A flood of
   * messages delays timers, so the timer alone is not enough.
   */
  async yieldTurn(): Promise<void> {
    const scope = openScope();
    const hasArrived = () => this.queue.some(({ incoming }) => incoming.is !== 'ended');
    await scope.run(() => Promise.race([sleep(1, { summary: 'more messages wait' }), condition(hasArrived)]));
    // Removes the timer and the condition, since the SDK checks every pending condition in every activation.
    scope.cancel();
  }

  /** Passes all arrivals to a turn, which returns a message id for each. The reply will have this id. */
  deliver<Turn extends { readonly messageIds: readonly number[] }>(
    takeTurn: (arrivals: readonly Incoming[]) => Turn,
  ): Turn {
    this.isDirty = false;
    const arrivals = messagesLast(this.queue.splice(0));
    const turn = takeTurn(arrivals.map(({ incoming }) => incoming));
    arrivals.forEach(({ reply }, index) => {
      const id = turn.messageIds[index] ?? 0;
      if (reply !== undefined) this.waiting.set(id, [...(this.waiting.get(id) ?? []), reply]);
    });
    return turn;
  }

  /** The arrivals in the queue. While the run moves to its next history, all of them come from outside the run. */
  undelivered(): readonly Incoming[] {
    return this.queue.map(({ incoming }) => incoming);
  }

  reply(message: number, reply: Reply): void {
    for (const answer of this.waiting.get(message) ?? []) answer(reply);
    this.waiting.delete(message);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { reply } of this.queue.splice(0)) reply?.(CLOSED);
    for (const id of [...this.waiting.keys()]) this.reply(id, CLOSED);
    await condition(allHandlersFinished);
  }
}

const CLOSED: Reply = refuse('closed', 'the run is closed');

/** Receives signals of related runs and of this run's parts. Ignores signals without the right key. */
export function receiveRunSignals(mailbox: Mailbox): void {
  for (const is of [AGENT_SIGNAL, PART_SIGNAL] as const)
    setHandler(defineSignal<[unknown]>(is), (message) => mailbox.receiveSignal({ is, message, at: now() }));
}

/** Resolves when the server has confirmed or rejected the signal. The history must not end earlier. */
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

/** Repeats the last signal of a run until the server accepts it or the receiver does not exist any more. */
export async function signalUntilTaken(signal: RunSignal): Promise<void> {
  for (let failures = 1; (await signalRun(signal)) === 'failed'; failures += 1)
    await sleep(signalPause(failures), { summary: 'the run whose task this is took no signal' });
}

export function now(): string {
  return new Date().toISOString();
}

const ANSWERS: Record<QueryName, (run: ReadonlyRun, page: PageRequest) => unknown> = {
  view: (run, request) => renderView(run, readable(request)),
  status: partOf('status'),
  plan: partOf('plan'),
  nodes: partOf('nodes'),
  trace: partOf('trace'),
  questions: partOf('questions'),
  mayBegin: (run, { work }) => permissionsOf(run, work),
  reply: (run, { update }) => (typeof update === 'string' ? (replyToUpdate(run, update) ?? null) : null),
};

function partOf(part: OwnPart): (run: ReadonlyRun, page: PageRequest) => unknown {
  return (run, page) => renderView(run, { parts: [part], [part]: page })[part];
}

/** On continue-as-new the SDK abandons waiting handlers. Their messages are not lost: the next history gets them. */
const unfinishedPolicy = HandlerUnfinishedPolicy.ABANDON;

export interface RunAccess {
  readonly run: () => ReadonlyRun | undefined;
  /** Text that says why loading the state takes long; undefined if nothing blocks it. */
  readonly waits: () => string | undefined;
  readonly preview: (name: MessageName, payload: unknown, update: string | undefined) => Refused | undefined;
}

export function handleMessages(mailbox: Mailbox, { run, waits, preview }: RunAccess): void {
  for (const name of MESSAGE_NAMES) {
    const description = MESSAGES[name];
    const signal = (payload: unknown, update?: unknown) =>
      mailbox.receiveSignal({ name, payload, at: now(), ...updateNamed(update) });
    setHandler(defineSignal<[unknown, unknown?]>(name), signal, { description, unfinishedPolicy });
    const update = async (payload: unknown) =>
      acceptedOrThrow(await mailbox.receiveUpdate({ name, payload, at: now(), update: currentUpdateInfo()?.id ?? '' }));
    setHandler(defineUpdate<Reply, [unknown]>(name), update, {
      validator: (payload) =>
        refuseAtOnce(malformedProblem(payload) ?? preview(name, payload, currentUpdateInfo()?.id)),
      description: `${description}. Says at once whether it is taken and, if not, why.`,
      unfinishedPolicy,
    });
  }
  setDefaultSignalHandler((name) => mailbox.receiveSignal({ is: 'unknown', name, at: now() }));
  for (const name of Object.keys(QUERIES) as QueryName[]) {
    const query = defineQuery<unknown, [PageRequest?]>(name);
    setHandler(query, (page) => ANSWERS[name](present(run(), waits()), pageOf(page)), { description: QUERIES[name] });
  }
}

/** Reads an update's id from the second argument of a signal. A wrong id is ignored. */
function updateNamed(update: unknown): { readonly update?: string } {
  return typeof update === 'string' && update !== '' && problemOf('name', update) === undefined ? { update } : {};
}

function permissionsOf(run: ReadonlyRun, work: unknown): MayBeginReply {
  const taskIds: unknown[] = Array.isArray(work) ? work : [];
  const reasons = taskIds.map((id) => {
    const permission = permissionOf(run, id);
    return permission.ok ? null : permission.reason;
  });
  const { workflowId } = workflowInfo().parent ?? {};
  const { key } = run.state.parent ?? {};
  const parent = workflowId !== undefined && key !== undefined ? { workflowId, key } : undefined;
  if (run.state.project.keys === undefined) return { words: reasons, ...given({ parent }) };
  const proofs = taskIds.map((id) => approvalTokens(run, id));
  const tokens = [...new Set(proofs.flat())];
  const indexes = new Map(tokens.map((token, place) => [token, place]));
  const { consents } = run.state.approval;
  const figures = consents.flatMap(({ token = '', figures: own = [] }) => (indexes.has(token) ? own : []));
  return {
    words: reasons,
    tokens,
    proofs: proofs.map((nodeTokens) => nodeTokens.map((token) => indexes.get(token) ?? 0)),
    figures: [...new Set(figures)],
    ...given({ parent }),
  };
}

function readable(request: object): ViewRequest {
  const message = problemOf(VIEW_REQUEST, request);
  if (message === undefined) return request;
  throw inClear(toApplicationFailure({ type: 'InvalidInput', message, details: [] }));
}

function present(run: ReadonlyRun | undefined, waits: string = BETWEEN_HISTORIES): ReadonlyRun {
  if (run !== undefined) return run;
  const failure = toApplicationFailure({ type: 'RETRIABLE', message: waits, details: [] });
  throw inClear(failure, waits === BETWEEN_HISTORIES ? waits : WAITS_BETWEEN);
}

function pageOf(page: PageRequest | undefined): PageRequest {
  return typeof page === 'object' ? (page ?? {}) : {};
}

function malformedProblem(payload: unknown): Refused | undefined {
  return isMalformed(payload) ? refuse('malformed', payload.reason) : undefined;
}

/** Rejects an update in its validator: the sender gets the answer, and the history gets no event. */
function refuseAtOnce(refused: Refused | undefined): void {
  if (refused !== undefined) throw refusalOf(refused);
}

/** Fails an update that the run rejects, so that its sender sees the reason in the Web UI. The run continues. */
function acceptedOrThrow(reply: Reply): Reply {
  if (reply.ok) return reply;
  throw refusalOf(reply);
}

function refusalOf({ reason: message, refusal, issues }: Exclude<Reply, { ok: true }>): Error {
  const details = [{ refusal, ...(issues !== undefined && { issues }) }];
  return toApplicationFailure({ type: 'InvalidInput', message, details });
}
