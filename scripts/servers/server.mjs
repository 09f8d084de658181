/** A server as a child of this process: started, heard until it is ready, ended, and started again. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const READY_MS = 60_000;
const TAIL = 20;

/**
 * @param {string} program @param {readonly string[]} args
 * @param {{ options?: import('node:child_process').SpawnOptions, isReady(line: string): boolean, signal?: NodeJS.Signals }} how
 */
export function runServer(program, args, { options = {}, isReady, signal: usual = 'SIGTERM' }) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  const end = () => void child?.kill('SIGKILL');
  return {
    get pid() {
      return child?.pid;
    },
    async start() {
      const started = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      process.once('exit', end);
      /** @type {string[]} */
      const said = [];
      await new Promise((resolve, reject) => {
        const fail = (/** @type {string} */ why) => reject(new Error(`${program} ${why}: ${said.join('\n')}`));
        const timer = setTimeout(() => fail(`was not ready after ${READY_MS / 1000} s`), READY_MS);
        started.once('error', (error) => fail(error.message));
        started.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`));
        for (const stream of [started.stdout, started.stderr]) {
          createInterface(stream).on('line', (line) => {
            said.push(line);
            if (said.length > TAIL) said.shift();
            if (!isReady(line)) return;
            clearTimeout(timer);
            resolve(undefined);
          });
        }
      });
    },
    /** @param {NodeJS.Signals} [signal] */
    async stop(signal = usual) {
      process.off('exit', end);
      const running = child;
      child = undefined;
      if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
      const ended = once(running, 'exit');
      running.kill(signal);
      await ended;
    },
  };
}

/**
 * A port below 30,000: Temporal keeps some of them as a smallint of PostgreSQL, and the system gives others to connections.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const isFree = await new Promise((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
