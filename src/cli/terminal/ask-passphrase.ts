/** Reads a passphrase at this process's terminal, without echo. A program could fill stdin, flags or variables. */

import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';

/** Undefined without a terminal, and after Ctrl-D or an empty line. */
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
