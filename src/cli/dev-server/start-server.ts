/** Starts the dev server of a Temporal CLI, with the settings that plans need. */

import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { cutMiddle } from '../../plan/text/index.ts';
import { DevServerError, type Asked } from './dev-server.ts';
import { endChild, endOf, endWithParent } from './programs.ts';
import { localServerAnswers, registerAttributes } from './server-answers.ts';

/** Server settings that every Temporal dev server for plans needs; nothing depends on the middle two. */
export const DYNAMIC_CONFIG: { readonly [key: string]: number | string } = {
  // With the server's own default of 20 polls a second, each sequential hop of a run waits about 50 ms.
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
};

export interface StartedServer {
  readonly pid: number;
  stop(): Promise<void>;
}

const READY_WITHIN = 30_000;
const ASK_EVERY = 50;
const ASK_FOR = 2000;
const EXCERPT = 2000;

/**
 * Starts a dev server and waits until its namespace answers. The server's output goes to `<databaseFile>.log`.
 * @param uiPort undefined starts it without its Web UI.
 * @throws DevServerError `start-failed`, or `port-in-use`, with what it wrote, when the server ends or is not ready
 * in 30 seconds.
 */
export async function startServer(
  asked: Asked,
  cliPath: string,
  port: number,
  uiPort: number | undefined,
): Promise<StartedServer> {
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
    if (problem === undefined) return { pid: child.pid as number, stop };
    const written = (await readFile(logPath, 'utf8')).trim();
    throw new DevServerError(
      written.includes('address already in use') ? 'port-in-use' : 'start-failed',
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

function serverArguments({ databaseFile, namespace }: Asked, port: number, uiPort: number | undefined): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...['--namespace', namespace, '--db-filename', databaseFile, '--log-level', 'error'],
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}

/** Undefined when the server is ready, else what became of it instead. */
async function waitUntilReady(asked: Asked, port: number, ended: Promise<string>): Promise<string | undefined> {
  const { namespace, signal } = asked;
  const deadline = Date.now() + READY_WITHIN;
  let ending: string | undefined;
  void ended.then((how) => (ending = how));
  let reason = '';
  while (Date.now() < deadline) {
    if (ending !== undefined) return `${ending} while it started`;
    signal?.throwIfAborted();
    const answer = await localServerAnswers(port, namespace, ASK_FOR);
    const ready = answer.ok ? await registerAttributes(port, namespace, ASK_FOR) : answer;
    if (ready.ok) return undefined;
    reason = ready.reason;
    await pause(ASK_EVERY);
  }
  return `did not answer for namespace "${namespace}" within ${READY_WITHIN / 1000} s (${reason})`;
}
