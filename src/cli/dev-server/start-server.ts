import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { cutMiddle, messageOf } from '../../plan/text/index.ts';
import { WAITS_FOR_ATTRIBUTE } from '../../protocol/index.ts';
import { withConnection } from '../../config/project/index.ts';
import { OperationError } from '../../operations/operation-error.ts';
import type { ResolvedOptions } from './options.ts';
import { DEFAULT_PORT, isPortOpen } from './find-server.ts';

/** Settings that make a dev server faster than the server's own defaults. */
export const DYNAMIC_CONFIG: { readonly [key: string]: number | string | boolean } = {
  // By default the server polls 20 times a second, so each step of a sequence waits about 50 ms.
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  // By default, a run that continues as new within a second after its start waits until the second is over.
  'history.workflowIdReuseMinimalInterval': '0s',
  // By default the server buffers only one query during a workflow task, and rejects the next.
  'history.MaxBufferedQueryCount': 1000,
  /**
   * Maximum bytes of updates in progress (default 20 MiB). They return to the server in one call of at most 4 MiB, so
   * ten waiting updates of 1 MiB would fail every workflow task.
   */
  'history.maxInFlightUpdatePayloads': 2 * 1024 * 1024,
  /**
   * Maximum bytes of events that are buffered during a workflow task (default 2 MiB; a transaction takes 4 MiB). Above
   * it the server fails the task, so a flood of events would fail every task.
   */
  'history.maximumBufferedEventsSizeInBytes': 3 * 1024 * 1024,
  // Maximum number of these events. With the default of 100, workflow tasks of wide plans fail.
  'history.maximumBufferedEventsBatch': 20_000,
  // If a worker schedules an activity, it gets the activity with the server's reply and need not poll for it.
  'system.enableActivityEagerExecution': true,
};

/**
 * SQLite settings. With a write-ahead log a step takes half the time, but a copy of the database needs its `-wal` file
 * too.
 */
export const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=2'] as const;

const DEFAULT_UI_PORT = 8233;
const START_ATTEMPTS = 3;
const READY_WITHIN = 30_000;
const ASK_EVERY = 50;
const ASK_FOR = 2000;
const EXCERPT = 2000;
const END_WITHIN = 5000;
/** The range of random ports. It is below the ports that Linux, macOS and Windows use for outgoing connections. */
const [LOWEST, HIGHEST] = [10_000, 30_000];
/** The type of the search attribute, from the Temporal API (`INDEXED_VALUE_TYPE_KEYWORD_LIST`). */
const KEYWORD_LIST = 7;

/**
 * Starts a dev server and waits until its namespace answers. The server's output goes to `<databaseFile>.log`. @throws
 * OperationError `DEV_SERVER` or `PORT_IN_USE` with the output if the server ends, or is not ready within 30 seconds
 */
export async function startDevServer(
  options: ResolvedOptions,
  { path, how }: { readonly path: string; readonly how: string },
) {
  // Another process may take a port before the server listens on it. Then other ports are tried.
  for (let attempt = 1; ; attempt += 1) {
    try {
      const port = await choosePort(options.port, DEFAULT_PORT);
      const uiPort = options.headless === true ? undefined : await choosePort(options.uiPort, DEFAULT_UI_PORT);
      options.onProgress(`Starting a Temporal dev server on 127.0.0.1:${port} (${how}: ${path}) ...`);
      return await startOnPorts(options, path, port, uiPort);
    } catch (error) {
      const taken = error instanceof OperationError && error.code === 'PORT_IN_USE';
      if (!taken || attempt === START_ATTEMPTS) throw error;
    }
  }
}

/**
 * The requested port (0: any), otherwise the preferred one, otherwise any. The system must not choose the port: an
 * outgoing connection could take it first, even the connection that checks whether the server listens.
 */
async function choosePort(requested: number | undefined, preferred: number): Promise<number> {
  let port = requested === 0 ? anyPort() : (requested ?? preferred);
  while (await isPortOpen(port)) {
    if (requested === port)
      throw new OperationError(
        'PORT_IN_USE',
        `Port ${requested} of 127.0.0.1 is taken. Free it, or name another; 0 takes any.`,
      );
    port = anyPort();
  }
  return port;
}

function anyPort(): number {
  return LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
}

async function startOnPorts(options: ResolvedOptions, cliPath: string, port: number, uiPort: number | undefined) {
  const logPath = `${options.databaseFile}.log`;
  const log = await open(logPath, 'w');
  const args = serverArguments(options, port, uiPort);
  // The server has its own process group, so that Ctrl-C reaches only the worker, which needs the server to drain.
  const child = spawn(cliPath, args, { env: options.env, detached: true, stdio: ['ignore', log.fd, log.fd] });
  const ended = describeExit(child);
  const release = endWithParent(child);
  child.unref();
  const stop = async () => {
    await endChild(child, ended);
    release();
  };
  try {
    const problem = await waitUntilReady(options, port, ended);
    if (problem === undefined) return { port, uiPort, pid: child.pid as number, stop };
    const written = (await readFile(logPath, 'utf8')).trim();
    throw new OperationError(
      written.includes('address already in use') ? 'PORT_IN_USE' : 'DEV_SERVER',
      `The Temporal dev server ${problem}. It was started with\n  ${cliPath} ${args.join(' ')}\n` +
        // The beginning of the log shows the cause, its end the consequence.
        (written === ''
          ? `It wrote nothing to ${logPath}.`
          : `It wrote to ${logPath}:\n${cutMiddle(written, EXCERPT)}`),
    );
  } catch (error) {
    await stop();
    throw error;
  } finally {
    await log.close();
  }
}

export function describeExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let problem: string | undefined;
    child.on('error', (error) => (problem = `could not be run (${error.message})`));
    child.on('close', (code, signal) => resolve(problem ?? `ended with ${signal ?? `code ${code}`}`));
  });
}

async function endChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
  await ended;
  clearTimeout(kill);
}

function serverArguments(
  { databaseFile, namespace }: ResolvedOptions,
  port: number,
  uiPort: number | undefined,
): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...['--namespace', namespace, '--db-filename', databaseFile, '--log-level', 'error'],
    ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends the child with this process, except after SIGKILL. If a signal has another listener, the child continues until
 * this process ends, so that a worker can drain.
 * @returns a function that removes the listeners
 */
function endWithParent(child: ChildProcess): () => void {
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

async function waitUntilReady(
  options: ResolvedOptions,
  port: number,
  ended: Promise<string>,
): Promise<string | undefined> {
  const { namespace, signal } = options;
  const deadline = Date.now() + READY_WITHIN;
  let ending: string | undefined;
  void ended.then((how) => (ending = how));
  let reason = 'nothing listens there';
  while (Date.now() < deadline) {
    if (ending !== undefined) return `${ending} while it started`;
    signal?.throwIfAborted();
    try {
      if (await isPortOpen(port)) return await registerAttribute(port, namespace);
    } catch (error) {
      // The frontend listens before its namespaces are ready.
      reason = messageOf(error);
    }
    await pause(ASK_EVERY);
  }
  return `did not answer for namespace "${namespace}" within ${READY_WITHIN / 1000} s (${reason})`;
}

/** Registers the search attribute for inboxes, unless it exists. The server's own flag needs a new database file. */
async function registerAttribute(port: number, namespace: string): Promise<undefined> {
  await withConnection({ address: `127.0.0.1:${port}`, namespace }, ({ client: { connection } }) => {
    const searchAttributes = { [WAITS_FOR_ATTRIBUTE]: KEYWORD_LIST };
    return connection.withDeadline(Date.now() + ASK_FOR, () =>
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  });
}
