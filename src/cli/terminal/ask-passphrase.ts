/**
 * A passphrase that a person types at the terminal of this process. It is read from the terminal itself, and neither from standard
 * input, a flag nor the environment, where a program could put it; nothing of it is shown.
 */

import { openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASE: readonly string[] = ['\b', '\u007f'];

/** undefined where the process has no terminal, and where the person typed Ctrl-D or nothing. */
export async function askPassphrase(question: string): Promise<string | undefined> {
  const terminal = openTerminal();
  if (terminal === undefined) return undefined;
  const { fd, input } = terminal;
  try {
    input.setRawMode(true);
    writeSync(fd, `${question}: `);
    return await lineFrom(input);
  } finally {
    writeSync(fd, '\n');
    input.setRawMode(false);
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

function lineFrom(input: ReadStream): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let typed = '';
    input.setEncoding('utf8');
    input.once('error', reject);
    input.on('data', (text: string) => {
      for (const letter of text) {
        // Raw mode hands Ctrl-C over as a character.
        if (letter === CTRL_C) process.kill(process.pid, 'SIGINT');
        if (letter === '\r' || letter === '\n' || letter === CTRL_D || letter === CTRL_C) {
          resolve(typed === '' || letter === CTRL_C ? undefined : typed);
          return;
        }
        typed = ERASE.includes(letter) ? Array.from(typed).slice(0, -1).join('') : typed + letter;
      }
    });
  });
}
