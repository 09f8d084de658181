/** A block of lines that is drawn again in its place, on a terminal that may change its size meanwhile. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScreen, type Screen } from '../../../src/cli/terminal/index.ts';

const { columns, rows } = process.stderr;
let written = '';

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  size(80, 24);
});

afterEach(() => {
  size(columns, rows);
  vi.restoreAllMocks();
});

function size(wide: number, high: number): void {
  Object.assign(process.stderr, { columns: wide, rows: high });
}

function opened(canRedraw = true, keepsCursor = true): Screen {
  return createScreen({ canRedraw, paint: (_, text) => text }, { keepsCursor });
}

function writes(act: () => void): string {
  written = '';
  act();
  return written;
}

const block = (...lines: string[]) => `\u001B[?7l${lines.map((line) => `${line}\n`).join('')}\u001B[?7h`;
const back = (lines: number) => `\r\u001B[${lines}A\u001B[0J`;

test('a block takes the place of the one before, and of nothing else', () => {
  const screen = opened();
  expect(writes(() => screen.show(['a', 'b']))).toBe(block('a', 'b'));
  expect(writes(() => screen.show(['c']))).toBe(back(2) + block('c'));
  expect(writes(() => screen.show([]))).toBe(back(1));
  expect(writes(() => screen.show([]))).toBe('');
});

test('what is said goes above it, whoever writes it', () => {
  const screen = opened();
  screen.show(['a', 'b']);
  expect(writes(() => screen.say('one'))).toBe(`${back(2)}one\n${block('a', 'b')}`);
  expect(writes(() => screen.above(() => process.stderr.write('two\n')))).toBe(`${back(2)}two\n${block('a', 'b')}`);
  screen.settle();
  expect(writes(() => screen.above(() => process.stderr.write('three\n')))).toBe('three\n');
});

test('a terminal that was made narrower has wrapped what was drawn: all of it is erased', () => {
  const screen = opened();
  screen.show(['a'.repeat(79), `\u001B[31m${'b'.repeat(40)}\u001B[0m`]);
  size(40, 24);
  expect(writes(() => screen.show(['c']))).toBe(back(2 + 1) + block('c'));
  screen.show(['漢'.repeat(39)]);
  size(20, 24);
  expect(writes(() => screen.show(['c']))).toBe(back(4) + block('c'));
  size(80, 24);
  expect(writes(() => screen.show(['d']))).toBe(back(1) + block('d'));
});

test('no block is higher than the terminal, which could not erase it', () => {
  size(80, 4);
  expect(writes(() => opened().show(['a', 'b', 'c', 'd', 'e']))).toBe(block('a', 'b', 'c'));
});

test('the cursor is hidden while a block is there, unless it is to be kept', () => {
  const screen = opened(true, false);
  expect(writes(() => screen.show(['a']))).toBe(`\u001B[?25l${block('a')}`);
  expect(writes(() => screen.settle())).toBe('\u001B[?25h');
});

test('nothing is drawn where nothing can be drawn again', () => {
  const screen = opened(false);
  expect(writes(() => screen.show(['a']))).toBe('');
  expect(writes(() => screen.say('one'))).toBe('one\n');
});
