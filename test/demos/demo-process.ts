/** The built program, in a process of its own, on the shared server: as a stranger runs it. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `planwright demo ...` with a cache folder of its own, and no terminal. */
export function runDemoCommand(cache: string, ...args: readonly string[]): Promise<Ended> {
  return ended(start(cache, args));
}

/** The same of a demo that ends well, and reports as JSON. */
export async function endedWell(cache: string, ...args: readonly string[]): Promise<Ended> {
  const done = await runDemoCommand(cache, ...args, '-o', 'json');
  if (done.code !== 0) throw new Error(`it exited with ${done.code}:\n${done.stdout}${done.stderr}`);
  return done;
}

/** The lines of JSON in a file that a demo has left. */
export function linesIn(file: string): readonly unknown[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}

/** The same, with Ctrl-C as soon as it has written this to stderr. */
export function interruptDemoCommand(text: string, cache: string, ...args: readonly string[]): Promise<Ended> {
  const child = start(cache, args);
  let told = '';
  child.stderr.on('data', (more: string) => {
    const before = told;
    told += more;
    if (told.includes(text) && !before.includes(text)) child.kill('SIGINT');
  });
  return ended(child);
}

/** Another program in a folder, with the same surroundings. */
export function runProgram(cache: string, cwd: string, program: string, ...args: readonly string[]): Promise<Ended> {
  return ended(spawned(cache, program, args, cwd));
}

function start(cache: string, args: readonly string[]) {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not there; run \`npm run build\` first`);
  return spawned(cache, process.execPath, [MAIN, 'demo', ...args]);
}

function spawned(cache: string, program: string, args: readonly string[], cwd = process.cwd()) {
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('address'), PLANWRIGHT_CACHE: cache, NO_COLOR: '1' };
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

function ended(child: ReturnType<typeof start>): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text: string) => (stdout += text));
  child.stderr.on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
