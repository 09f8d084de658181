/** Starts the dev server of a Temporal CLI, with the settings that plans need. */

import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { cutMiddle, messageOf } from '../../plan/text/index.ts';
import { WAITS_FOR_ATTRIBUTE } from '../../protocol/index.ts';
import { withConnection } from '../../config/project/index.ts';
import { OperationError } from '../../operations/operation-error.ts';
import type { Asked } from './options.ts';
import { DEFAULT_PORT, isListening } from './find-server.ts';

/** Server settings that every Temporal dev server for plans needs; without them a run is slower, and nothing else. */
export const DYNAMIC_CONFIG: { readonly [key: string]: number | string | boolean } = {
  // With the server's own default of 20 polls a second, each step of a sequence waits about 50 ms.
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  // A run that goes on in a new history within a second of its start is held back to a second by default.
  'history.workflowIdReuseMinimalInterval': '0s',
  // The server buffers one query while a workflow task is open; the next gets an error.
  'history.MaxBufferedQueryCount': 1000,
  // An update goes back to the server with the workflow task, taken or refused, and the server takes 4 MiB in one call: ten at
  // once, of a megabyte each, would fail the task as long as they wait. In bytes; its own default is 20 MiB.
  'history.maxInFlightUpdatePayloads': 2 * 1024 * 1024,
  // Events that arrive while a workflow task is at work are buffered; above this the server fails that task, and a
  // flood fails one after the other. In bytes; its own default is 2 MiB, and all of it must fit a transaction of 4 MiB.
  'history.maximumBufferedEventsSizeInBytes': 3 * 1024 * 1024,
  // The same bound as a number of events; its own default of 100 fails workflow tasks of plans that are wide.
  'history.maximumBufferedEventsBatch': 20_000,
  // The worker that schedules an activity gets it with the reply, and does not have to ask for it.
  'system.enableActivityEagerExecution': true,
};

/**
 * A write-ahead log in place of a rollback journal: a step takes about half the time. `synchronous` 2 syncs every commit.
 * The log is a file beside the database (`-wal`): a copy needs both.
 */
export const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=2'] as const;

const DEFAULT_UI_PORT = 8233;
const START_ATTEMPTS = 3;
const READY_WITHIN = 30_000;
const ASK_EVERY = 50;
const ASK_FOR = 2000;
const EXCERPT = 2000;
/** The milliseconds that a server has to tidy up after itself, once it is told to end. */
const END_WITHIN = 5000;
/** Below the ports that Linux, macOS and Windows give to outgoing connections. */
const [LOWEST, HIGHEST] = [10_000, 30_000];
/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;

/**
 * Starts a dev server and waits until its namespace answers. The server's output goes to `<databaseFile>.log`.
 * @throws OperationError `DEV_SERVER`, or `PORT_IN_USE`, with what it wrote, when the server ends or is not ready
 * in 30 seconds.
 */
export async function startServer(asked: Asked, { path, how }: { readonly path: string; readonly how: string }) {
  // Somebody else can take a port between its choice and the start of the server; then others are chosen.
  for (let attempt = 1; ; attempt += 1) {
    try {
      const port = await choosePort(asked.port, DEFAULT_PORT);
      const uiPort = asked.headless === true ? undefined : await choosePort(asked.uiPort, DEFAULT_UI_PORT);
      asked.onProgress(`Starting a Temporal dev server on 127.0.0.1:${port} (${how}: ${path}) ...`);
      return await startOnPorts(asked, path, port, uiPort);
    } catch (error) {
      const taken = error instanceof OperationError && error.code === 'PORT_IN_USE';
      if (!taken || attempt === START_ATTEMPTS) throw error;
    }
  }
}

/**
 * The port that was asked for (0 takes any), else the preferred one, else any. Not one that the system picks: any outgoing connection
 * could take that before a server listens on it, even the connection that asks whether the server listens yet.
 */
async function choosePort(asked: number | undefined, preferred: number): Promise<number> {
  let port = asked === 0 ? anyPort() : (asked ?? preferred);
  while (await isListening(port)) {
    if (asked === port)
      throw new OperationError(
        'PORT_IN_USE',
        `Port ${asked} of 127.0.0.1 is taken. Free it, or name another; 0 takes any.`,
      );
    port = anyPort();
  }
  return port;
}

function anyPort(): number {
  return LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
}

/** @param uiPort undefined: without a Web UI */
async function startOnPorts(asked: Asked, cliPath: string, port: number, uiPort: number | undefined) {
  const logPath = `${asked.databaseFile}.log`;
  const log = await open(logPath, 'w');
  const args = serverArguments(asked, port, uiPort);
  // A process group of its own: Ctrl-C in a terminal must reach the worker, which still needs the server to drain.
  const child = spawn(cliPath, args, { env: asked.env, detached: true, stdio: ['ignore', log.fd, log.fd] });
  const ended = endOf(child);
  const release = endWithParent(child);
  child.unref();
  const stop = async () => {
    await endChild(child, ended);
    release();
  };
  try {
    const problem = await waitUntilReady(asked, port, ended);
    if (problem === undefined) return { port, uiPort, pid: child.pid as number, stop };
    const written = (await readFile(logPath, 'utf8')).trim();
    throw new OperationError(
      written.includes('address already in use') ? 'PORT_IN_USE' : 'DEV_SERVER',
      `The Temporal dev server ${problem}. It was started with\n  ${cliPath} ${args.join(' ')}\n` +
        // The beginning says what happened, the end says where it led.
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

/** How a program has ended, once it has and all that it wrote is read. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let problem: string | undefined;
    child.on('error', (error) => (problem = `could not be run (${error.message})`));
    child.on('close', (code, signal) => resolve(problem ?? `ended with ${signal ?? `code ${code}`}`));
  });
}

/** Tells a program to end, and kills it if it goes on for more than 5 seconds. */
async function endChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
  await ended;
  clearTimeout(kill);
}

function serverArguments({ databaseFile, namespace }: Asked, port: number, uiPort: number | undefined): string[] {
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
 * Ends the child when this process ends, on its own or by a signal. If somebody else listens for the signal too, the
 * child stays until the process has really ended, so that a worker can drain first. When this process is killed with
 * SIGKILL the child stays; that cannot be helped.
 * @returns a function that takes the watch off again.
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

/** Undefined when the server is ready, else what became of it instead. */
async function waitUntilReady(asked: Asked, port: number, ended: Promise<string>): Promise<string | undefined> {
  const { namespace, signal } = asked;
  const deadline = Date.now() + READY_WITHIN;
  let ending: string | undefined;
  void ended.then((how) => (ending = how));
  let reason = 'nothing listens there';
  while (Date.now() < deadline) {
    if (ending !== undefined) return `${ending} while it started`;
    signal?.throwIfAborted();
    try {
      if (await isListening(port)) return await registerAttribute(port, namespace);
    } catch (error) {
      // The frontend listens before its namespaces can be used.
      reason = messageOf(error);
    }
    await pause(ASK_EVERY);
  }
  return `did not answer for namespace "${namespace}" within ${READY_WITHIN / 1000} s (${reason})`;
}

/**
 * Registers the search attribute by which inboxes find runs; one that is registered stays as it is. The program's own flag for this
 * (`--search-attribute`) does it for a new database file only.
 */
async function registerAttribute(port: number, namespace: string): Promise<undefined> {
  await withConnection({ address: `127.0.0.1:${port}`, namespace }, ({ client: { connection } }) => {
    const searchAttributes = { [WAITS_FOR_ATTRIBUTE]: KEYWORD_LIST };
    return connection.withDeadline(Date.now() + ASK_FOR, () =>
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  });
}
