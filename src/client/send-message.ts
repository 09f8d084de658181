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

/** The messages of a person, by the name of their update and signal. */
export interface SendableMessages {
  readonly decide: Decision;
  readonly answer: Answer;
  readonly control: Control;
}

/** The content of a signed start: the input of the run, and its starter. */
export interface StartMessage {
  readonly kind: 'start';
  readonly by: string;
  readonly role?: string;
  readonly goal?: string;
  readonly plan?: unknown;
  readonly ref?: string;
  readonly options?: RunSettings;
}

/** Makes the token that replaces a message (compact JWS, see docs/identity.md). */
export type Signer = (
  message: Decision | Answer | Control | StartMessage,
  workflowId: string,
  namespace: string,
  /** The run id of the first execution; absent for a start, which is signed before the run exists. */
  firstRunId?: string,
) => Promise<string>;

/** The outcome of a message: whether the run has replied, and the reply as a sentence. */
export interface Ack {
  /**
   * `kept`: the run or the server has stored the message, and the run has not replied yet. The reply may still be a
   * rejection. A decision on a run without a plan waits at most 30 s for the reply.
   */
  readonly how: 'answered' | 'kept';
  readonly reply: string;
}

/**
 * Maximum wait in ms. A run may have to compile a plan before it replies.
 * @bound [approving] the reply to a message @beyond the client reports that the run has received the message and has
 * not replied yet
 */
const REPLY_MS = 60_000;
/** Time limit in ms for the reply to a revision. The planner may call a model six times, a minute or two each. */
const REVISION_REPLY_MS = 600_000;

/** How long a message is repeated while the run moves to a new history, in ms. */
const AGAIN_MS = 20_000;
/** How long to wait for the reply of a run without a plan, in ms. Planning may take minutes. */
const PENDING_MS = 30_000;
const PAUSE_MS = 50;
const ASK_MS = 2000;

/**
 * Sends a message to a run and waits for the reply. @throws ClientError `refused` or `stale` with the run's reason
 * @param waiting `answerMs`: milliseconds until the message is stored at the server; `idle`: explains why workers that
 * poll take no tasks
 */
export async function deliverMessage<Name extends keyof SendableMessages>(
  handle: WorkflowHandle,
  bounded: Bounded,
  name: Name,
  message: SendableMessages[Name],
  signer: Signer | undefined,
  waiting: { readonly answerMs?: number; readonly idle?: () => Promise<string | undefined> } = {},
): Promise<Ack> {
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
  // Each attempt has the same id. If the run already has the message, it repeats its reply.
  const options = { args: [payload] as [unknown], updateId: randomUUID(), waitForStage: 'ACCEPTED' } as const;
  const until = Date.now() + AGAIN_MS;
  for (let pause = PAUSE_MS; ; pause *= 2) {
    let update: WorkflowUpdateHandle<Reply> | undefined;
    try {
      update = await bounded(() => handle.startUpdate<Reply, [unknown]>(name, options), waiting.answerMs);
      const started = update;
      const reply = replyIn(await bounded(() => started.result(), isRevision(message) ? REVISION_REPLY_MS : REPLY_MS));
      return ackOf(await answerBehind(handle, options.updateId, reply));
    } catch (error) {
      if (isAnswerOfRun(error)) throw error;
      if (!isUnanswered(error)) {
        // The end of a history aborts an update with an undocumented error, and the reply may be lost.
        // After any failure, the run is asked for its reply. If it is open and has none, it gets the same update again.
        const answered = await replyTo(handle, options.updateId);
        if (answered !== undefined) return ackOf(answered);
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
      // The server forgets an update that no worker has accepted, so the message is also sent as a signal.
      // If a worker accepts the update late, the run treats both as one message, since they have the same id.
      const leave = () => handle.signal<[unknown, string]>(name, payload, options.updateId);
      const answered = await bounded(leave).catch(async (late: unknown) => {
        const reply = await replyTo(handle, options.updateId);
        if (reply === undefined) throw late;
        return reply;
      });
      if (answered !== undefined) return ackOf(answered);
      return {
        how: 'kept',
        reply: `${(await waiting.idle?.()) ?? error.message}; the ${NOUNS[name]} is kept by the server`,
      };
    }
  }
}

/** The run id of a run's first execution. The server reports it without a worker. */
export async function chainOf({ client, workflowId }: WorkflowHandle, bounded: Bounded, runId?: string) {
  return (await bounded(() => rootAtServer(client, { workflowId, ...(runId !== undefined && { runId }) }))).firstRunId;
}

/** Waits for the reply to a message that the run stores until it has a plan. Until then the reply is `kept`. */
async function answerBehind(handle: WorkflowHandle, update: string, first: Reply): Promise<Reply> {
  let reply = first;
  const until = Date.now() + PENDING_MS;
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

function isRevision(message: SendableMessages[keyof SendableMessages]): boolean {
  return 'kind' in message && message.kind === 'revise';
}

function replyIn(given: unknown): Reply {
  return readAs(REPLY, given ?? {}, 'the run');
}

function ackOf(reply: Reply): Ack {
  if (!reply.ok) throw refusalError(reply);
  return { how: reply.kept === true ? 'kept' : 'answered', reply: reply.reply };
}

const NOUNS: Readonly<Record<keyof SendableMessages, string>> = {
  decide: 'decision',
  answer: 'answer',
  control: 'control message',
};

async function replyTo(handle: WorkflowHandle, update: string): Promise<Reply | undefined> {
  const { connection } = handle.client;
  const ask = () => handle.query<Reply | null, [PageRequest]>('reply', { update });
  const given = await connection.withDeadline(Date.now() + ASK_MS, ask).catch(() => undefined);
  return given == null ? undefined : replyIn(given);
}

async function isRunning(handle: WorkflowHandle): Promise<boolean | undefined> {
  const { connection } = handle.client;
  const found = await connection.withDeadline(Date.now() + ASK_MS, () => handle.describe()).catch(() => undefined);
  return found && found.status.name === 'RUNNING';
}

/** The error for a closed run. If a worker can report that the run has expired, the error says so. */
async function closedAs(handle: WorkflowHandle, cause: unknown): Promise<ClientError> {
  const ask = () => handle.query<Partial<RunView>, [ViewRequest]>('view', { parts: ['status'] });
  const view = await handle.client.connection.withDeadline(Date.now() + ASK_MS, ask).catch(() => undefined);
  const why =
    view?.status?.outcome === 'expired'
      ? 'has expired: nobody decided in time, and it takes no more messages'
      : 'is closed; it takes no more messages';
  return new ClientError('run-closed', `run ${handle.workflowId} ${why}`, { cause });
}

/** Whether the error is from the run: a rejection, or an invalid reply. Otherwise it is from the server. */
function isAnswerOfRun(error: unknown): boolean {
  return error instanceof ClientError && (error.refusal !== undefined || error.code === 'unreadable');
}

function isUnanswered(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'no-worker';
}
