/**
 * Runs the program in this process, from its sources, with surroundings of its own. That costs milliseconds where a
 * process of its own takes half a second, and proves as much of everything but signals and the loading of modules.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/program.ts';

/** What a call of the program sees of the world, and what it has written. */
interface Call {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  stdout: string;
  stderr: string;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const calls = new AsyncLocalStorage<Call>();
capture('stdout');
capture('stderr');
replace('env', (call) => call.env);
replace('stdin', (call) => call.stdin);

/** Many may run at once, as long as they run in one folder: that is the one thing that a process has only once. */
export async function runInProcess(
  args: readonly string[],
  { env, cwd, stdin }: { env: NodeJS.ProcessEnv; cwd: string; stdin: string | Uint8Array },
): Promise<Ran> {
  const call: Call = { env, stdin: Readable.from([Buffer.from(stdin)]), stdout: '', stderr: '' };
  const code = await inFolder(cwd, () => calls.run(call, () => runCli(['node', 'planwright', ...args])));
  return { code, stdout: call.stdout, stderr: call.stderr };
}

const OWN_FOLDER = process.cwd();
const underWay = new Set<Promise<unknown>>();

async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  while (underWay.size > 0 && process.cwd() !== folder) await Promise.allSettled(underWay);
  process.chdir(folder);
  const working = work();
  underWay.add(working);
  try {
    return await working;
  } finally {
    underWay.delete(working);
    if (underWay.size === 0) process.chdir(OWN_FOLDER);
  }
}

function capture(name: 'stdout' | 'stderr'): void {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array, ...rest: never[]) => {
    const call = calls.getStore();
    if (call === undefined) return write(text, ...rest);
    call[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };
}

function replace<Name extends 'env' | 'stdin'>(name: Name, of: (call: Call) => Call[Name]): void {
  const own = process[name];
  Object.defineProperty(process, name, {
    configurable: true,
    get() {
      const call = calls.getStore();
      return call === undefined ? own : of(call);
    },
  });
}
