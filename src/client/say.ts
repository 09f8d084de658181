/** Says something to a run, so that it is heard: now, or when a worker is there. */

import { randomUUID } from 'node:crypto';
import type { WorkflowHandle, WorkflowUpdateHandle } from '@temporalio/client';
import {
  REPLY,
  type Answer,
  type Control,
  type Decision,
  type PageRequest,
  type Reply,
  type RunSettings,
  type RunView,
  type ViewRequest,
} from '../protocol/index.ts';
import { rootAtServer } from '../protocol/executions.ts';
import { readAs, type Bounded } from './ask-run.ts';
import { ClientError, isInvalidArgument, refusalError } from './client-error.ts';

/** The messages of a person: by the name of the update, and of the signal, that carries them. */
export interface Sayable {
  readonly decide: Decision;
  readonly answer: Answer;
  readonly control: Control;
}

/** The start of a run as it is signed: its input, and who starts it. */
export interface StartMessage {
  readonly kind: 'start';
  readonly by: string;
  readonly role?: string;
  readonly goal?: string;
  readonly plan?: unknown;
  readonly ref?: string;
  readonly options?: RunSettings;
}

/** Makes the token (compact JWS, see docs/identity.md) that goes in place of the message. */
export type Signer = (
  message: Decision | Answer | Control | StartMessage,
  workflowId: string,
  namespace: string,
  /** The run of that id; absent for a start, which is signed before there is one. */
  chain?: string,
) => Promise<string>;

/** The outcome of a message to a run: whether the run has answered it, and the answer in a sentence. */
export interface Told {
  /**
   * `kept`: the run has not answered yet and will hear it; the run or the server keeps what was said until then. A decision
   * on a run that has no plan yet is waited for, 30 s at most: `kept` then says nothing of whether it will be taken.
   */
  readonly how: 'answered' | 'kept';
  readonly reply: string;
}

/**
 * A run that has taken a message in may compile a plan before it answers.
 * @bound [approving] the reply to a message
 * @beyond the client says that the run has taken it in and has not answered yet
 */
const REPLY_MS = 60_000;
/**
 * A planner is asked up to six times for another plan; a call of a model takes up to a minute or two.
 * @bound [approving] the reply to a revision, which the planner writes anew
 * @beyond the client says that the run has taken it in; the run hears of the plan either way
 */
const REVISION_REPLY_MS = 600_000;

/** A run that goes on in a new history does so within milliseconds; one that is busy with it, within seconds. */
const AGAIN_MS = 20_000;
/** Compiling a plan takes a second. A goal is planned in minutes, and no caller is kept from other work for that. */
const KEPT_MS = 30_000;
const PAUSE_MS = 50;
const ASK_MS = 2000;

/**
 * @param waiting how long a worker may take until the message is left with the server, by default as for any question; and why workers
 * that are there take nothing
 * @throws ClientError `refused` or `stale` with the run's reason.
 */
export async function say<Name extends keyof Sayable>(
  handle: WorkflowHandle,
  bounded: Bounded,
  name: Name,
  message: Sayable[Name],
  signer: Signer | undefined,
  waiting: { readonly answerMs?: number; readonly idle?: () => Promise<string | undefined> } = {},
): Promise<Told> {
  const payload =
    signer === undefined
      ? message
      : {
          token: await signer(
            message,
            handle.workflowId,
            handle.client.options.namespace,
            await chainOf(handle, bounded),
          ),
        };
  // The same id each time: a run that has heard it already answers as it did then.
  const options = { args: [payload] as [unknown], updateId: randomUUID(), waitForStage: 'ACCEPTED' } as const;
  const until = Date.now() + AGAIN_MS;
  for (let pause = PAUSE_MS; ; pause *= 2) {
    let update: WorkflowUpdateHandle<Reply> | undefined;
    try {
      update = await bounded(() => handle.startUpdate<Reply, [unknown]>(name, options), waiting.answerMs);
      const started = update;
      const reply = replyIn(await bounded(() => started.result(), isRevision(message) ? REVISION_REPLY_MS : REPLY_MS));
      return toldBy(await answerBehind(handle, options.updateId, reply));
    } catch (error) {
      if (isOfRun(error)) throw error;
      if (!isUnanswered(error)) {
        // A history that ends cuts an update off, in words that no server promises, and the answer may be lost on the way. So
        // the run is asked for it whatever has failed. An open run that has none gets the same update again.
        const answered = await replyTo(handle, options.updateId);
        if (answered !== undefined) return toldBy(answered);
        const isOpen = await isRunning(handle);
        if (isOpen === false) throw await closedAs(handle, error);
        if (isOpen === undefined || isInvalidArgument(error) || Date.now() + pause > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
        continue;
      }
      if (update !== undefined) {
        const reply = `the run has taken the ${NOUNS[name]} in and has not answered yet; its trace will tell`;
        return { how: 'kept', reply };
      }
      // The server forgets an update that no worker has accepted. Should one accept it late, the run knows both by the id
      // as one message; and where that was the last word it waited for, it has ended since, and knows its reply.
      const leave = () => handle.signal<[unknown, string]>(name, payload, options.updateId);
      const answered = await bounded(leave).catch(async (late: unknown) => {
        const reply = await replyTo(handle, options.updateId);
        if (reply === undefined) throw late;
        return reply;
      });
      if (answered !== undefined) return toldBy(answered);
      return {
        how: 'kept',
        reply: `${(await waiting.idle?.()) ?? error.message}; the ${NOUNS[name]} is kept by the server`,
      };
    }
  }
}

/** The server knows it, also where no worker answers. */
export async function chainOf({ client, workflowId }: WorkflowHandle, bounded: Bounded, runId?: string) {
  return (await bounded(() => rootAtServer(client, { workflowId, ...(runId !== undefined && { runId }) }))).chain;
}

/** Before there is a plan a run keeps what is said of it, and answers it then. As long as it does not, the reply is `kept`. */
async function answerBehind(handle: WorkflowHandle, update: string, first: Reply): Promise<Reply> {
  let reply = first;
  const until = Date.now() + KEPT_MS;
  for (
    let pause = PAUSE_MS;
    reply.ok && reply.kept === true && Date.now() < until;
    pause = Math.min(2 * pause, ASK_MS)
  ) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    reply = (await replyTo(handle, update)) ?? reply;
  }
  return reply;
}

function isRevision(message: Sayable[keyof Sayable]): boolean {
  return 'kind' in message && message.kind === 'revise';
}

function replyIn(given: unknown): Reply {
  return readAs(REPLY, given ?? {}, 'the run');
}

function toldBy(reply: Reply): Told {
  if (!reply.ok) throw refusalError(reply);
  return { how: reply.kept === true ? 'kept' : 'answered', reply: reply.reply };
}

const NOUNS: Readonly<Record<keyof Sayable, string>> = {
  decide: 'decision',
  answer: 'answer',
  control: 'control message',
};

/** Undefined also while the run is on its way, and when nobody answers. */
async function replyTo(handle: WorkflowHandle, update: string): Promise<Reply | undefined> {
  const { connection } = handle.client;
  const ask = () => handle.query<Reply | null, [PageRequest]>('reply', { update });
  const given = await connection.withDeadline(Date.now() + ASK_MS, ask).catch(() => undefined);
  return given == null ? undefined : replyIn(given);
}

/** Undefined where the server does not say it. */
async function isRunning(handle: WorkflowHandle): Promise<boolean | undefined> {
  const { connection } = handle.client;
  const found = await connection.withDeadline(Date.now() + ASK_MS, () => handle.describe()).catch(() => undefined);
  return found && found.status.name === 'RUNNING';
}

/** Whoever approves too late learns that the run has expired, as far as a worker can say it. */
async function closedAs(handle: WorkflowHandle, cause: unknown): Promise<ClientError> {
  const ask = () => handle.query<Partial<RunView>, [ViewRequest]>('view', { parts: ['status'] });
  const view = await handle.client.connection.withDeadline(Date.now() + ASK_MS, ask).catch(() => undefined);
  const why =
    view?.status?.outcome === 'expired'
      ? 'has expired: nobody decided in time, and it takes no more messages'
      : 'is closed; it takes no more messages';
  return new ClientError('run-closed', `run ${handle.workflowId} ${why}`, { cause });
}

/** What the run itself has answered: its refusal, or no answer at all. The server fails an update without such a word. */
function isOfRun(error: unknown): boolean {
  return error instanceof ClientError && (error.refusal !== undefined || error.code === 'unreadable');
}

function isUnanswered(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'no-worker';
}
