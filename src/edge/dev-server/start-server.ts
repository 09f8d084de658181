/** Starts the dev server of a Temporal CLI. */

import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { DevServerError } from './dev-server-error.ts';
import { DYNAMIC_CONFIG } from './dynamic-config.ts';
import { endWithParent } from './end-with-parent.ts';
import { isListening } from './ports.ts';
import { registerAttributes } from './register-attributes.ts';
import { serverAnswers } from './server-answers.ts';
import { cutMiddle } from '../../language/text/index.ts';

export interface StartOptions {
  readonly cliPath: string;
  readonly databaseFile: string;
  readonly namespace: string;
  readonly port: number;
  /** undefined starts the server without its Web UI. */
  readonly uiPort: number | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The server lives on when this process ends. */
  readonly detach: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface StartedServer {
  readonly pid: number;
  stop(): Promise<void>;
}

const READY_WITHIN = 30_000;
const STOP_WITHIN = 5000;
const ASK_EVERY = 50;
const ASK_FOR = 2000;
const EXCERPT = 1000;

/**
 * Starts a dev server and waits until its namespace answers. The server's output goes to `<databaseFile>.log`.
 * @throws DevServerError `start-failed`, or `port-in-use`, with what it wrote, when the server ends or is not ready
 * in 30 seconds.
 */
export async function startServer(options: StartOptions): Promise<StartedServer> {
  const logPath = `${options.databaseFile}.log`;
  const log = await open(logPath, 'w');
  // A process group of its own: Ctrl-C in a terminal must reach the worker, which still needs the server to drain.
  const child = spawn(options.cliPath, serverArguments(options), {
    env: options.env,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  const ended = endOf(child);
  const release = options.detach ? () => {} : endWithParent(child);
  child.unref();
  try {
    await waitUntilReady(options, ended);
  } catch (error) {
    await stopProcess(child, ended);
    release();
    if (!(error instanceof NotReady)) throw error;
    const written = (await readFile(logPath, 'utf8')).trim();
    throw new DevServerError(
      written.includes('address already in use') ? 'port-in-use' : 'start-failed',
      `The Temporal dev server ${error.message}. It was started with\n` +
        `  ${options.cliPath} ${serverArguments(options).join(' ')}\n` +
        (written === '' ? `It wrote nothing to ${logPath}.` : `It wrote to ${logPath}:\n${excerpt(written)}`),
    );
  } finally {
    await log.close();
  }
  return {
    pid: child.pid as number,
    async stop() {
      await stopProcess(child, ended);
      release();
    },
  };
}

function serverArguments(options: StartOptions): string[] {
  const { databaseFile, namespace, port, uiPort } = options;
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

/** The beginning says what happened, the end says where it led. */
function excerpt(text: string): string {
  return cutMiddle(text, 2 * EXCERPT);
}

class NotReady extends Error {}

async function waitUntilReady(options: StartOptions, ended: Promise<string>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN;
  const connection = { address: `127.0.0.1:${options.port}` };
  let ending: string | undefined;
  void ended.then((how) => (ending = how));
  let reason = 'its port is closed';
  while (Date.now() < deadline) {
    if (ending !== undefined) throw new NotReady(`${ending} while it started`);
    options.signal?.throwIfAborted();
    // Connecting with gRPC to a closed port takes as long as its own retries, whatever happens meanwhile.
    if (await isListening(options.port)) {
      const answer = await serverAnswers(connection, options.namespace, ASK_FOR);
      const ready = answer.ok ? await registerAttributes(connection.address, options.namespace, ASK_FOR) : answer;
      if (ready.ok) return;
      reason = ready.reason;
    }
    await pause(ASK_EVERY);
  }
  throw new NotReady(`did not answer for namespace "${options.namespace}" within ${READY_WITHIN / 1000} s (${reason})`);
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`));
    child.once('exit', (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}`));
  });
}

async function stopProcess(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  const tooLong = new AbortController();
  const kill = pause(STOP_WITHIN, undefined, { signal: tooLong.signal }).then(
    () => child.kill('SIGKILL'),
    () => {},
  );
  await ended;
  tooLong.abort();
  await kill;
}
