import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds after which the command is killed. */
  readonly timeout: number;
  /** Called every `PROGRESS_EVERY` milliseconds with the milliseconds since the start. */
  readonly onTick?: (elapsed: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export type CommandResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const PROGRESS_EVERY = 5000;
const TAIL = 600;

/** Runs a program to its end. Why it failed comes back as data: how it ended and the end of what it wrote. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { env, timeout, onTick, signal } = options;
  const started = Date.now();
  const child = spawn(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
    signal,
  });
  const tick = setInterval(() => onTick?.(Date.now() - started), PROGRESS_EVERY);
  let written = '';
  const keepTail = (chunk: Buffer) => {
    written = (written + chunk.toString()).slice(-TAIL);
  };
  child.stdout.on('data', keepTail);
  child.stderr.on('data', keepTail);
  return new Promise((resolve) => {
    const finish = (result: CommandResult) => {
      clearInterval(tick);
      resolve(result);
    };
    child.on('error', (error) => finish({ ok: false, reason: error.message }));
    child.on('close', (code, killedBy) => {
      if (code === 0) return finish({ ok: true });
      const timedOut = killedBy !== null && Date.now() - started >= timeout;
      const ending = timedOut ? `no end within ${timeout / 1000} s` : `ended with ${killedBy ?? `code ${code}`}`;
      const tail = written.trim();
      finish({ ok: false, reason: tail === '' ? ending : `${ending}: ${tail}` });
    });
  });
}
