/** The entries of `notify` as receivers: an address for POST, or a program that reads the message. */

import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createSecret } from '../../models/index.ts';
import { cutCharacters, messageOf, oneLine } from '../../plan/text/index.ts';
import { durationMs, timeoutSignal } from '../../protocol/index.ts';
import { ConfigError } from '../import-config.ts';
import type { ReceiverSettings } from './schema.ts';

/** The reason why a receiver did not accept a message, without secrets. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError';
  /** True if only this message was rejected, so that others may be accepted. */
  readonly isRefusal: boolean;

  constructor(message: string, { isRefusal }: { readonly isRefusal: boolean }) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** A receiver of messages, with times in milliseconds. */
export interface Receiver extends Pick<ReceiverSettings, 'name' | 'roles' | 'page'> {
  readonly afterMs: number;
  readonly remindMs: number | undefined;
  readonly escalate: readonly { readonly afterMs: number; readonly roles: readonly string[] }[];
  readonly hasContent: boolean;
  readonly atOnce: number;
  send(id: string, body: string, signal: AbortSignal): Promise<void>;
}

/** Time limit in ms for a receiver's answer. After it, the message is sent again later. */
const SEND_MS = 8000;
const PROBLEM_CHARACTERS = 300;
/** Maximum number of messages that are sent at once. Programs run on the worker's machine, so there are few. */
const AT_ONCE = { url: 20, command: 3 } as const;
/** HTTP statuses, and the exit code of a program (EX_DATAERR), that reject a message as wrong or too long. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);
const EX_DATAERR = 65;

/**
 * Opens the receivers.
 * @param folder the folder in which programs start
 * @throws ConfigError that names a setting whose variable is missing or has no address
 */
export function openReceivers(
  entries: readonly ReceiverSettings[],
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
  sendMs = SEND_MS,
): readonly Receiver[] {
  return entries.map(({ name, url, command = [], secret, after, remind, escalate = [], content, ...rest }) => {
    const place = (field: string) => `notify ${name}, ${field}`;
    const key = secret && valueOf(secret, place('secret'), environment);
    const address = url === undefined || typeof url === 'string' ? url : valueOf(url, place('url'), environment);
    if (address !== undefined && !isPlainAddress(address))
      throw new ConfigError(`${place('url')}: expected http(s)://host/path without user and password in the variable`);
    const hidden = createSecret(key, address === url ? undefined : address);
    return {
      ...{ name, ...rest, afterMs: after === undefined ? 0 : ms(after), remindMs: remind && ms(remind) },
      escalate: escalate.map((one) => ({ afterMs: ms(one.after), roles: one.roles })),
      hasContent: content === true,
      atOnce: address === undefined ? AT_ONCE.command : AT_ONCE.url,
      async send(id, body, stop) {
        const signal = AbortSignal.any([stop, timeoutSignal(sendMs)]);
        try {
          await (address === undefined ? run(command, folder, body, signal) : post(address, key, id, body, signal));
        } catch (error) {
          const why = hidden.hideIn(messageOf((error as Error).cause ?? error));
          const isRefusal = error instanceof ReceiverError && error.isRefusal;
          // The cause may contain the secret, so it is omitted.
          throw new ReceiverError(cutCharacters(oneLine(why), PROBLEM_CHARACTERS), { isRefusal });
        }
      },
    };
  });
}

function ms(time: Parameters<typeof durationMs>[0]): number {
  return durationMs(time) ?? 0;
}

function valueOf({ env }: { readonly env: string }, place: string, environment: NodeJS.ProcessEnv): string {
  const value = environment[env];
  if (value) return value;
  throw new ConfigError(`${place}: the environment has no ${env}; set it where the worker runs`);
}

/**
 * Whether a text is an http(s) address without user and password. A query is allowed: some services have a secret in
 * it.
 */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Sends by POST. Does not read the answer's body, and follows no redirects, which could leak the message. */
async function post(url: string, key: string | undefined, id: string, body: string, signal: AbortSignal) {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'planwright',
    'planwright-id': id,
    ...(key !== undefined && { 'planwright-signature': signBody(key, body) }),
  };
  const { status, body: answer } = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  await answer?.cancel().catch(() => undefined);
  if (status >= 300 && status < 400) throw new Error(`it answered ${status}, a redirect, which is not followed`);
  if (status >= 400) throw new ReceiverError(`it answered ${status}`, { isRefusal: REFUSALS.has(status) });
}

/** Signs as Stripe does: the time in seconds, and the HMAC-SHA-256, in hex, of the time, a dot and the body. */
function signBody(key: string, body: string, seconds = Math.floor(Date.now() / 1000)): string {
  return `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Runs a program until it ends, even if a child of it still writes to stderr. The signal ends its children too. */
function run([program = '', ...words]: readonly string[], cwd: string, body: string, signal: AbortSignal) {
  return new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const detached = process.platform !== 'win32';
    const child = spawn(program, words, { cwd, stdio: ['pipe', 'ignore', 'pipe'], detached });
    const { pid } = child;
    child.on('error', reject);
    // The program did not start. The event `error` follows, and streams may be missing.
    if (pid === undefined) return;
    let problem = '';
    let ended: string | number | null = null;
    const failure = () =>
      new ReceiverError(`${program} ended with ${ended}: ${problem.trim()}`, { isRefusal: ended === EX_DATAERR });
    const end = () => {
      try {
        process.kill(detached ? -pid : pid, 'SIGKILL');
      } catch {}
      child.stderr.destroy();
      reject(ended === null ? (signal.reason as Error) : failure());
    };
    signal.addEventListener('abort', end, { once: true });
    child.stderr.on('data', (piece: Buffer) => {
      if (problem.length < PROBLEM_CHARACTERS) problem += piece.toString();
    });
    // If a program does not read its input, it closes the pipe.
    child.stdin.on('error', () => undefined).end(body);
    child.on('exit', (code, by) => {
      ended = code ?? by;
      if (code === 0) child.stderr.destroy();
    });
    child.on('close', () => {
      signal.removeEventListener('abort', end);
      if (ended === 0) resolve();
      else reject(failure());
    });
  });
}
