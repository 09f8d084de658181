/** What goes to stdout and stderr. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createOutput } from '../../../src/cli/terminal/index.ts';

const { isTTY } = process.stderr;
let written = '';

beforeEach(() => {
  written = '';
  const write = (text: string | Uint8Array) => {
    written += String(text);
    return true;
  };
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.stubEnv('TERM', 'xterm');
});

afterEach(() => {
  process.stderr.isTTY = isTTY;
  vi.restoreAllMocks();
});

const HOSTILE = 'a\u001b[2J\u202e\u{e0041}\ud800\r\nb\tc';
const SEEN = 'a\\u001b[2J\\u202e\\udb40\\udc41\\ud800\\u000d\nb\tc';

describe('a terminal is ruled by nobody else', () => {
  test.each(['always', 'never'] as const)('what goes to stderr can be seen, with colours %s', (color) => {
    process.stderr.isTTY = false;
    const output = createOutput('text', color);
    output.note(HOSTILE);
    output.error({ code: 'C', message: HOSTILE, details: {} });
    const code = output.paint('red', 'error[C]');
    expect(written).toBe(`${SEEN}\n${code}: ${SEEN}\n`);
    expect(code.length > 'error[C]'.length).toBe(color === 'always');
  });

  test.each([
    ['xterm', '', true],
    ['dumb', '', false],
    ['xterm', '1', false],
  ])('colours on the terminal %s with NO_COLOR=%j: %j', (term, noColor, isColored) => {
    vi.stubEnv('TERM', term);
    vi.stubEnv('NO_COLOR', noColor);
    process.stderr.isTTY = true;
    expect(createOutput('text', 'auto').paint('red', 'x') !== 'x').toBe(isColored);
  });

  test.each([true, false])(
    'what goes to stdout can be seen on a terminal, else it is data; a terminal: %j',
    (isTerminal) => {
      const before = process.stdout.isTTY;
      process.stdout.isTTY = isTerminal;
      createOutput('text', 'never').print({}, () => HOSTILE);
      process.stdout.isTTY = before;
      expect(written).toBe(`${isTerminal ? SEEN : HOSTILE}\n`);
    },
  );
});

test('an error is wrapped on a terminal alone, and a command in it is not broken', () => {
  const message = `no worker answered on task queue beamline; start one with "planwright worker --task-queue beamline"`;
  const { columns } = process.stdout;
  process.stdout.columns = 80;
  process.stderr.isTTY = true;
  createOutput('text', 'never').error({ code: 'NO_WORKER', message, details: {} });
  process.stdout.columns = columns;
  const lines = written.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toBe('"planwright worker --task-queue beamline"');
  written = '';
  process.stderr.isTTY = false;
  createOutput('text', 'never').error({ code: 'NO_WORKER', message, details: {} });
  expect(written).toBe(`error[NO_WORKER]: ${message}\n`);
});

test.each([
  ['text', 'a text\n'],
  ['json', '{\n  "ok": true\n}\n'],
  ['jsonl', '{"ok":true}\n'],
  ['none', ''],
] as const)('%s prints what it is for', (format, expected) => {
  createOutput(format, 'never').print({ ok: true }, () => 'a text');
  expect(written).toBe(expected);
});
