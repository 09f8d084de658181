/** Reads a passphrase at the terminal, without echo. A program could fill stdin, flags or variables. */

import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';

/** Undefined if there is no terminal, or after Ctrl-D or an empty line. */
export async function askPassphrase(question: string): Promise<string | undefined> {
  const terminal = openTerminal();
  if (terminal === undefined) return undefined;
  const { fd, input } = terminal;
  const output = new Writable({ write: (_typed, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  try {
    return await new Promise((resolve, reject) => {
      input.once('error', reject);
      lines.once('line', (typed) => resolve(typed === '' ? undefined : typed));
      lines.once('close', () => resolve(undefined));
      lines.once('SIGINT', () => {
        process.kill(process.pid, 'SIGINT');
        resolve(undefined);
      });
      writeSync(fd, `${question}: `);
    });
  } finally {
    writeSync(fd, '\n');
    lines.close();
    input.destroy();
  }
}

function openTerminal(): { readonly fd: number; readonly input: ReadStream } | undefined {
  try {
    const fd = openSync('/dev/tty', 'r+');
    return { fd, input: new ReadStream(fd) };
  } catch {
    return undefined;
  }
}

const CTRL_C = '\u0003';

/** Waits for one of `keys`, and returns it in lower case. @throws the signal's reason on abort */
export function askKey<const Key extends string>(keys: readonly Key[], signal: AbortSignal): Promise<Key> {
  const { stdin } = process;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    stdin.setRawMode(true);
    stdin.resume();
    stdin.on('data', onData);
    signal.addEventListener('abort', giveUp);

    function onData(pressed: Buffer): void {
      const text = pressed.toString('utf8').toLowerCase();
      if (text.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
      const key = keys.find((one) => text.startsWith(one));
      if (key === undefined) return;
      leave();
      resolve(key);
    }

    function giveUp(): void {
      leave();
      reject(signal.reason as Error);
    }

    function leave(): void {
      stdin.off('data', onData);
      signal.removeEventListener('abort', giveUp);
      stdin.setRawMode(false);
      stdin.pause();
    }
  });
}
