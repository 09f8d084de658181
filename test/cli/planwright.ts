/** Types commands into the program, as a person or a script would. */

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputOf } from '../../src/operations/perform.ts';
import type { OperationName } from '../../src/operations/rows.ts';
import type { PlanIssue } from '../../src/plan/index.ts';
import type { DoctorCheck } from '../../src/cli/working/build-check.ts';
import { runInProcess } from './in-process.ts';

export interface Typed {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command says with `-o json`: the answer of its operation, or what went wrong. */
export type Answer<Of extends OperationName | object = Readonly<Record<string, unknown>>> = (Of extends OperationName
  ? OutputOf<Of>
  : Of) & {
  readonly ok: boolean;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly issues?: readonly Partial<PlanIssue>[];
    readonly questions?: readonly object[];
  };
};

/** What `doctor` answers. */
export interface Doctor {
  readonly checks: readonly DoctorCheck[];
}

/** The lines of `-o jsonl`. */
export const linesIn = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default: an empty one. */
  readonly stdin?: string | Uint8Array;
  /** The words before those that are typed. Default: Node.js and the built program. */
  readonly by?: readonly string[];
}

export interface Started {
  readonly child: ChildProcess;
  /** Resolves with what was written so far, as soon as it matches; rejects when the program ends before. */
  said(pattern: RegExp): Promise<string>;
  readonly ended: Promise<Typed>;
}

export const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
export const CONFIG = fileURLToPath(new URL('../fixtures/project/planwright.config.ts', import.meta.url));

/** A folder without a config, so that no test depends on where it runs. */
const EMPTY = realpathSync(mkdtempSync(join(tmpdir(), 'planwright-cli-')));

const BIN = mkdtempSync(join(tmpdir(), 'planwright-bin-'));
symlinkSync(CLI, join(BIN, 'planwright'));

/** In this process, from the sources. */
export async function planwright(
  args: readonly string[],
  { env = {}, cwd = EMPTY, stdin = '' }: Surroundings = {},
): Promise<Typed> {
  const surroundings = { env: { ...environment(), ...env }, cwd: realpathSync(cwd), stdin };
  return { args, ...(await runInProcess(args, surroundings)) };
}

/** The built program in a process of its own: for what goes on while others type, for signals, and for what is loaded. */
export function start(
  args: readonly string[],
  { env = {}, cwd = EMPTY, stdin = '', by: [program = '', ...words] = [process.execPath, CLI] }: Surroundings = {},
): Started {
  const child = spawn(program, [...words, ...args], { cwd, env: { ...environment(), ...env } });
  let stdout = '';
  let stderr = '';
  let listeners: (() => void)[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const listener of listeners) listener();
  });
  // A program that refuses its input closes the pipe while we still write.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const ended = new Promise<Typed>((resolve) => {
    child.on('close', (code) => resolve({ args, code: code ?? -1, stdout, stderr }));
  });
  return {
    child,
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(stdout + stderr)) return;
          listeners = listeners.filter((one) => one !== look);
          resolve(stdout + stderr);
        };
        listeners.push(look);
        look();
        void ended.then(({ code }) => reject(new Error(`ended with ${code} before ${pattern}:\n${stdout}${stderr}`)));
      }),
  };
}

/** What the person who runs the tests has set must not decide what they show. The program is on the PATH, as after `npm i -g`. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|TEMPORAL_|PLANWRIGHT_|FORCE_COLOR|NO_COLOR)/.test(name),
  );
  return { ...Object.fromEntries(own), PATH: `${BIN}${delimiter}${process.env['PATH']}`, XDG_CONFIG_HOME: EMPTY };
}
