/** Runs a program to its end, with a bound and with news for the person who waits. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cutStart } from '../../language/text/index.ts';

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds after which the command is ended. */
  readonly timeout: number;
  /** Called every `PROGRESS_EVERY` milliseconds with the milliseconds since the start. */
  readonly onTick?: (elapsed: number) => void;
  /** Takes each whole line of stderr; those for which it returns true are news, and no part of why the command fails. */
  readonly isNews?: (line: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

export type CommandResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const PROGRESS_EVERY = 1000;
/** The milliseconds that a program has to tidy up after itself, once it is told to end. */
const END_WITHIN = 5000;
const TAIL = 600;

/**
 * Why it failed comes back as data: how it ended and the end of what it wrote. When the time is up or the signal is
 * aborted the program is told to end, and the result comes when it has ended.
 */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { env, timeout, onTick, isNews = () => false, signal } = options;
  const started = Date.now();
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let why: string | undefined;
  let kill: NodeJS.Timeout | undefined;
  const end = (reason: string) => {
    why ??= reason;
    child.kill('SIGTERM');
    kill ??= setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
  };
  const onAbort = () => end('interrupted');
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const tooLong = setTimeout(end, timeout, `no end within ${timeout / 1000} s`);
  const tick = setInterval(() => onTick?.(Date.now() - started), PROGRESS_EVERY);
  let written = '';
  const keepTail = (text: string) => {
    written = cutStart(written + text, TAIL);
  };
  child.stdout.setEncoding('utf8').on('data', keepTail);
  createInterface(child.stderr).on('line', (line) => isNews(line) || keepTail(`${line}\n`));
  return new Promise((resolve) => {
    const finish = (result: CommandResult) => {
      for (const timer of [tick, tooLong, kill]) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    child.on('error', (error) => finish({ ok: false, reason: error.message }));
    child.on('close', (code, killedBy) => {
      if (code === 0 && why === undefined) return finish({ ok: true });
      const ending = why ?? `ended with ${killedBy ?? `code ${code}`}`;
      const tail = written.trim();
      finish({ ok: false, reason: tail === '' ? ending : `${ending}: ${tail}` });
    });
  });
}
