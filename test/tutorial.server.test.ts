/** docs/tutorial.md, typed as it stands: its files, its commands in their order, their exits and what they print. */

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Whoever types is slower than we are: a command that comes too early for its run is typed again, for so long. */
const PATIENCE_MS = 30_000;
const AGAIN_MS = 250;

interface Block {
  readonly language: string;
  readonly title: string;
  readonly text: string;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

test('the tutorial runs as it stands', { timeout: 240_000 }, async () => {
  const folder = await createFolder();
  let printed = '';
  for (const { language, title, text } of await readBlocks()) {
    if (language === 'text') expect(printed).toBe(text);
    else if (title === 'first terminal') await begin(text.trim(), folder);
    else if (title !== '') await writeFile(join(folder, title), text);
    else for (const line of text.trim().split('\n')) printed = await typeLine(line, folder);
  }
});

async function readBlocks(): Promise<readonly Block[]> {
  const page = await readFile(join(root, 'docs/tutorial.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w+) ?(.*)\n([^]*?)^```$/gm)];
  return blocks.map(([, language = '', title = '', text = '']) => ({ language, title, text }));
}

/** A folder in which `npm install planwright zod` was done. */
async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-tutorial-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await symlink(root, join(modules, 'planwright'));
  await symlink(join(root, 'node_modules/zod'), join(modules, 'zod'));
  await symlink('../planwright/dist/cli/main.js', join(modules, '.bin/planwright'));
  return folder;
}

/** Types a line, and again until it ends as the page says; what it printed. */
async function typeLine(line: string, folder: string): Promise<string> {
  const expected = Number(/# exit (\d+)/.exec(line)?.[1] ?? 0);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const ended = await endOf(start(line, folder));
    if (ended.code === expected) return ended.stdout;
    if (Date.now() > deadline) throw new Error(`${line}\nended with ${ended.code}:\n${ended.stdout}${ended.stderr}`);
    await pause(AGAIN_MS);
  }
}

/** What runs in a terminal of its own, until it is killed. */
async function begin(line: string, folder: string): Promise<void> {
  const child = start(line, folder);
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
      if (said.includes('worker ready')) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    void ended.then(({ code }) => reject(new Error(`${line} ended with ${code}:\n${said}`)));
  });
}

function start(line: string, folder: string): ChildProcess {
  // A test in a test is told of the one around it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn('sh', ['-c', line], {
    cwd: folder,
    env: { ...env, TEMPORAL_ADDRESS: inject('address'), TEMPORAL_CLI_PATH: inject('cliPath') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
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
