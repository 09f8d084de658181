/** Says something to a run, so that it is heard: now, or when a worker is there. */

import { randomUUID } from 'node:crypto';
import type { WorkflowHandle, WorkflowUpdateHandle } from '@temporalio/client';
import type { Answer, Control, Decision, Heard } from '../run/index.ts';
import { ClientError, refusalError } from './client-error.ts';

/** What a person can say: by the name of the update, and of the signal, that carries it. */
export interface Sayable {
  readonly decide: Decision;
  readonly answer: Answer;
  readonly control: Control;
}

/** Makes the token (compact JWS, see docs/identity.md) that goes in place of the message. */
export type Signer = (message: Decision | Answer | Control, workflowId: string) => Promise<string>;

export interface Told {
  /** `kept`: the run has not answered yet and will hear it; the server keeps what was said until then. */
  readonly how: 'answered' | 'kept';
  readonly reply: string;
}

/** Bounds one call to the server, and turns what it throws into a ClientError. */
export type Bounded = <T>(work: () => Promise<T>, ms?: number) => Promise<T>;

/** A run that has taken a message in may compile a plan before it answers. */
const REPLY_MS = 60_000;

/**
 * @throws ClientError `refused` or `stale` with the run's reason.
 */
export async function say<Name extends keyof Sayable>(
  handle: WorkflowHandle,
  bounded: Bounded,
  name: Name,
  message: Sayable[Name],
  signer: Signer | undefined,
): Promise<Told> {
  const payload = signer === undefined ? message : { token: await signer(message, handle.workflowId) };
  let update: WorkflowUpdateHandle<Heard>;
  try {
    const options = { args: [payload] as [unknown], updateId: randomUUID(), waitForStage: 'ACCEPTED' } as const;
    update = await bounded(() => handle.startUpdate<Heard, [unknown]>(name, options));
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    // The server forgets an update that no worker has accepted. Should one accept it late, the run hears it twice,
    // and takes it once.
    await bounded(() => handle.signal(name, payload));
    return { how: 'kept', reply: `${error.message}; the ${NOUNS[name]} is kept by the server` };
  }
  try {
    const heard = await bounded(() => update.result(), REPLY_MS);
    if (heard.ok) return { how: heard.kept === true ? 'kept' : 'answered', reply: heard.reply };
    throw refusalError(heard);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    return {
      how: 'kept',
      reply: `the run has taken the ${NOUNS[name]} in and has not answered yet; its trace will tell`,
    };
  }
}

const NOUNS: Readonly<Record<keyof Sayable, string>> = {
  decide: 'decision',
  answer: 'answer',
  control: 'control message',
};

function isUnanswered(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'no-worker';
}
