/** `planwright dev`: a Temporal server and a worker, for as long as the terminal is open. */

import { once } from 'node:events';
import { connectOrStart, type DevServer } from '../../edge/dev-server/index.ts';
import type { Output } from '../terminal/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { requireProject } from '../require-project.ts';
import { startWait } from '../wait.ts';
import { startWorker, tellReady, type WorkerOptions } from './worker.ts';

export interface ServerOptions {
  /** 0 takes any free port. */
  readonly port?: number | undefined;
  readonly uiPort?: number | undefined;
  readonly headless?: true | undefined;
  readonly db?: string | undefined;
}

export interface DevOptions extends WorkerOptions, ServerOptions {
  /** Needs no project: the worker is somebody's own program. */
  readonly serverOnly?: true | undefined;
}

const DEFAULT_PORT = '7233';

export async function dev(options: DevOptions & GlobalOptions, output: Output): Promise<number> {
  if (options.serverOnly === true) return serve(options, output);
  const project = await requireProject(options, 'dev');
  const server = await startUninterrupted(options, output);
  try {
    output.note(`Temporal server at ${server.address}, namespace ${server.namespace} (${server.how})`);
    if (server.uiUrl !== undefined) output.note(`Web UI at ${server.uiUrl}`);
    const worker = await startWorker(project, options, output, server.address);
    tellReady(worker, output);
    const address = server.address.endsWith(`:${DEFAULT_PORT}`) ? '' : ` --address ${server.address}`;
    output.note(`next, in another terminal: ${asTyped(`run PLAN.json${project.flag}${address}`)}`);
    output.note(server.started ? 'Ctrl-C stops both.' : 'Ctrl-C stops the worker; the server was there before.');
    await worker.ended;
  } finally {
    await server.stop();
  }
  return exitCode('done');
}

const OF_WORKERS = {
  config: '--config',
  demo: '--demo',
  store: '--store',
  taskQueue: '--task-queue',
  concurrentNodes: '--concurrent-nodes',
  force: '--force',
} as const satisfies Readonly<Record<keyof WorkerOptions, string>>;

async function serve(options: DevOptions & GlobalOptions, output: Output): Promise<number> {
  const idle = (Object.keys(OF_WORKERS) as (keyof WorkerOptions)[]).find((name) => options[name] !== undefined);
  if (idle !== undefined) {
    throw new CliError(
      'USAGE',
      `--server-only starts no worker, and ${OF_WORKERS[idle]} is about one: leave out either`,
    );
  }
  const server = await startUninterrupted(options, output);
  const { address, namespace, how, uiUrl } = server;
  try {
    output.print(
      { ok: true, ready: { address, namespace, pid: server.pid } },
      () => `server ready at ${address}, namespace ${namespace} (${how})`,
    );
    if (uiUrl !== undefined) output.note(`Web UI at ${uiUrl}`);
    if (!server.started) output.note('It was there before, and stays.');
    else {
      output.note('Ctrl-C stops it.');
      await untilStopped(server);
    }
  } finally {
    await server.stop();
  }
  return exitCode('done');
}

const LOOK_MS = 1000;

/** @throws CliError NO_SERVER when the server has ended by itself. */
async function untilStopped({ pid = 0, address }: DevServer): Promise<void> {
  // It keeps this process alive as well, which waiting for a signal alone does not.
  let looking: NodeJS.Timeout | undefined;
  const gone = new Promise<never>((_, reject) => {
    looking = setInterval(() => {
      if (!isAlive(pid)) reject(new CliError('NO_SERVER', `the Temporal server at ${address} has ended`));
    }, LOOK_MS);
  });
  try {
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), gone]);
  } finally {
    clearInterval(looking);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ctrl-C takes back what was begun until the server is there; after that it stops the worker, and then the server. */
export async function startUninterrupted(options: ServerOptions & GlobalOptions, output: Output): Promise<DevServer> {
  const { signal, end } = startWait({ typed: '', ms: undefined }, 'no server was started');
  try {
    return await startServer(options, output, signal);
  } finally {
    end();
  }
}

async function startServer(
  options: ServerOptions & GlobalOptions,
  output: Output,
  signal: AbortSignal,
): Promise<DevServer> {
  const { port, uiPort, headless, db } = options;
  // A port or a file that is named is where a server is wanted, not the one that happens to run.
  const own = port !== undefined || uiPort !== undefined || db !== undefined;
  if (own && options.address !== undefined) {
    throw new CliError('USAGE', '--address uses a server that runs; --port, --ui-port and --db start one. Give either');
  }
  const { TEMPORAL_ADDRESS: address, ...env } = process.env;
  if (own && address !== undefined) output.note(`a server is started; TEMPORAL_ADDRESS (${address}) is not used`);
  const server = await connectOrStart({
    signal,
    onProgress: output.note,
    ...(output.canRedraw && { onTick: output.passingNote }),
    ...(own && { reuse: false, env }),
    ...(port !== undefined && { port }),
    ...(uiPort !== undefined && { uiPort }),
    ...(headless === true && { headless }),
    ...(db !== undefined && { databaseFile: db }),
  });
  if (server.started && port === undefined && !server.address.endsWith(`:${DEFAULT_PORT}`)) {
    output.note(`port ${DEFAULT_PORT} is taken, so the server listens on ${server.address}`);
  }
  return server;
}
