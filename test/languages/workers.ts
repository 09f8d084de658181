/** Workers in other languages, in processes of their own. A machine without the language has a reason instead. */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { cacheFolder } from '../../src/cli/dev-server/options.ts';

/** Of the package index. Another version needs only a change here. */
const PYTHON = ['temporalio==1.35.0', 'cryptography==48.0.0'] as const;
const INSTALL_MS = 120_000;
const BUILD_MS = 600_000;

/** A program, or why there is none. */
export type Program = { readonly command: string } | { readonly missing: string };

/** Python with Temporal's SDK, in an environment that later test runs find. */
export function python(): Program {
  return prepared(`python-${PYTHON.join('-').replaceAll('=', '-')}`, 'bin/python', (folder) => [
    ['python3', ['-m', 'venv', folder], INSTALL_MS],
    [join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', ...PYTHON], INSTALL_MS],
  ]);
}

/** A Go program that was built from this source. Its first build fetches the SDK, which takes minutes. */
export function goProgram(source: string): Program {
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const go = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : 'go';
  return prepared(`go-${digest}`, 'worker', (folder) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'main.go'), source);
    return [
      [go, ['mod', 'init', 'example'], BUILD_MS],
      [go, ['mod', 'tidy'], BUILD_MS],
      [go, ['build', '-o', 'worker', '.'], BUILD_MS],
    ];
  });
}

type Step = readonly [command: string, args: readonly string[], timeoutMs: number];

/** Makes a folder of the cache once: others see it only when it is whole. */
function prepared(name: string, file: string, stepsIn: (folder: string) => readonly Step[]): Program {
  const folder = join(cacheFolder(), name);
  const command = join(folder, file);
  if (existsSync(command)) return { command };
  mkdirSync(cacheFolder(), { recursive: true });
  const base = mkdtempSync(`${folder}-`);
  try {
    const made = join(base, 'made');
    for (const [program, args, timeout] of stepsIn(made)) {
      const cwd = existsSync(made) ? made : base;
      const { status, error, stderr } = spawnSync(program, args, { cwd, timeout, encoding: 'utf8' });
      if (status !== 0)
        return { missing: `${program} ${args.join(' ')}: ${error?.message ?? stderr.trim().slice(-500)}` };
    }
    if (!existsSync(folder)) renameSync(made, folder);
    return { command };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Starts a worker, and waits until it has printed that it is ready, if it prints that. */
export async function startProcess(
  command: string,
  args: readonly string[],
  env: object,
  printsReady = true,
): Promise<ChildProcess> {
  const around = { ...process.env, TEMPORAL_ADDRESS: inject('address'), ...env };
  const worker = spawn(command, args, { env: around, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(worker, 'exit').then(([code]) => Promise.reject(new Error(`${command} ended with ${code}`)));
  ended.catch(() => undefined);
  if (printsReady) await Promise.race([once(worker.stdout, 'data'), ended]);
  return worker;
}

export async function killProcess(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}
