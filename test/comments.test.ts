import { describe, expect, test } from 'vitest';
import * as algebra from '../src/algebra/index.ts';
import * as document from '../src/document/index.ts';
import * as plan from '../src/plan/index.ts';
import * as text from '../src/text/index.ts';
import { codeBelow, readSource } from './support/source-files.ts';

/** The rooms that keep these rules so far. */
const DOORS = { algebra, document, plan, text };
const ROOMS = Object.keys(DOORS).map((room) => `src/${room}`);
/** A comment of its own: a blank line stands after it. */
const OPENING = /^\/\*\*(?:[^*]|\*(?!\/))*[.:]\s*\*\/\n\n/;

test.each(codeBelow('src'))('%s opens with a sentence that says what it is for', (file) => {
  expect(readSource(file).replace(/^#!.*\n/, '')).toMatch(OPENING);
});

test.each([
  '/** A unit. */\nexport',
  '// What it is for.\n\n',
  'import',
  '/* What it is for. */\n\n',
  '/** No end */\n\n',
])('%j is no opening sentence', (source) => expect(source).not.toMatch(OPENING));

describe('what a door offers as a function has an example', () => {
  const sources = codeBelow(...ROOMS).map(readSource);
  const functions = Object.values(DOORS).flatMap((door) =>
    Object.entries(door).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
  );
  test.each([...new Set(functions)])('%s', (name) => {
    const docstrings = sources.flatMap((source) => docstringsOf(name, source));
    expect(docstrings).toHaveLength(1);
    expect(docstrings[0]).toContain('@example');
  });
});

/** The comments right before the functions of this name; '' where there is none. */
function docstringsOf(name: string, source: string): string[] {
  const before = source.split(new RegExp(`^export function\\*? ${name}\\b`, 'm')).slice(0, -1);
  return before.map((part) => (part.endsWith('*/\n') ? part.slice(part.lastIndexOf('/**')) : ''));
}
