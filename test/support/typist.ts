/** Types the commands of a page, in a folder of its own. */

import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface Desk {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whoever types is slower than we are: a command that comes too early for its run is typed again, for so long. */
const PATIENCE_MS = 30_000;
const AGAIN_MS = 250;
/** What a command in a terminal of its own says when one can go on in another. */
const READY = /(worker|server) ready/;

/** Types a line, or a script, and again until it ends as `# exit N` says, else with 0; what it printed. */
export async function typeUntilDone(line: string, desk: Desk): Promise<string> {
  const expected = Number(/# exit (\d+)/.exec(line)?.[1] ?? 0);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const ended = await endOf(start(line, desk));
    if (ended.code === expected) return ended.stdout;
    if (Date.now() > deadline) throw new Error(`${line}\nended with ${ended.code}:\n${ended.stdout}${ended.stderr}`);
    await pause(AGAIN_MS);
  }
}

/** What runs in a terminal of its own, until it is killed when the test ends; resolves when it says that it is ready. */
export async function begin(line: string, desk: Desk): Promise<void> {
  const child = start(line, desk);
  const ended = endOf(child);
  onTestFinished(async () => {
    // The whole group: npx, and what it has started.
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    const hear = (text: string) => {
      said += text;
      if (READY.test(said)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    void ended.then(({ code }) => reject(new Error(`${line} ended with ${code}:\n${said}`)));
  });
}

function start(line: string, { folder, env }: Desk): ChildProcess {
  const child = spawn('sh', ['-c', line], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

function endOf(child: ChildProcess): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text: string) => void (written.stdout += text));
  child.stderr?.on('data', (text: string) => void (written.stderr += text));
  return new Promise((resolve) => void child.once('close', (code) => resolve({ code, ...written })));
}
