/** Programs of this machine: found, run to their end with a bound, and ended. */

import { spawn, type ChildProcess } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cutStart } from '../../plan/text/index.ts';

/** How the names of programs end on this system. */
export const EXE = process.platform === 'win32' ? '.exe' : '';

export type Found = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The first program of this name (without extension) on `PATH`. */
export async function programOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, `${name}${EXE}`);
    if (folder !== '' && (await isProgram(path))) return path;
  }
  return undefined;
}

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds after which the command is ended. */
  readonly timeout: number;
  /** Called every second with the milliseconds since the start. */
  readonly onTick: (elapsed: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export type CommandResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const TICK_MS = 1000;
/** The milliseconds that a program has to tidy up after itself, once it is told to end. */
const END_WITHIN = 5000;
const TAIL = 600;

/**
 * Why it failed comes back as data: how it ended and the end of what it wrote. When the time is up or the signal is
 * aborted the program is told to end, and the result comes when it has ended.
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  { env, timeout, onTick, signal }: CommandOptions,
): Promise<CommandResult> {
  const started = Date.now();
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = endOf(child);
  let why: string | undefined;
  const end = (reason: string) => {
    why ??= reason;
    void endChild(child, ended);
  };
  const onAbort = () => end('interrupted');
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const tooLong = setTimeout(end, timeout, `no end within ${timeout / 1000} s`);
  const tick = setInterval(() => onTick(Date.now() - started), TICK_MS);
  let written = '';
  const keepTail = (text: string) => {
    written = cutStart(written + text, TAIL);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keepTail);
  const ending = await ended;
  for (const timer of [tick, tooLong]) clearTimeout(timer);
  signal?.removeEventListener('abort', onAbort);
  if (child.exitCode === 0 && why === undefined) return { ok: true };
  const tail = written.trim();
  return { ok: false, reason: `${why ?? ending}${tail && `: ${tail}`}` };
}

/** How a program has ended, once it has and all that it wrote is read. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`could not be run (${error.message})`));
    child.on('close', (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}`));
  });
}

/** Tells a program to end, and kills it if it goes on for more than 5 seconds. */
export async function endChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
  await ended;
  clearTimeout(kill);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends the child when this process ends, on its own or by a signal. If somebody else listens for the signal too, the
 * child stays until the process has really ended, so that a worker can drain first. When this process is killed with
 * SIGKILL the child stays; that cannot be helped.
 * @returns a function that takes the watch off again.
 */
export function endWithParent(child: ChildProcess): () => void {
  const onExit = () => void child.kill('SIGTERM');
  const onSignal = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) return;
    release();
    onExit();
    process.kill(process.pid, signal);
  };
  const release = () => {
    process.off('exit', onExit);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  process.on('exit', onExit);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return release;
}
