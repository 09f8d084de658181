/** People in examples and pages go by what they do: a name of somebody would be taken for a person of the project. */

import { describe, expect, test } from 'vitest';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readSource } from './support/source-files.ts';

/** A new one is a word for what somebody does. */
const ROLES: ReadonlySet<string> = new Set([
  ...[
    'operator',
    'first-operator',
    'second-operator',
    'safety-officer',
    'safety',
    'lab',
    'budget',
    'grower',
    'curator',
  ],
  ...['author', 'reviewer', 'analyst', 'researcher', 'writer', 'planner', 'respond', 'demo'],
  // Placeholders, and the roles of a model's messages.
  ...['NAME', 'ROLE', 'user', 'system', 'assistant', 'tool'],
]);

/** `--by operator`, `by: 'operator'`, `Person = { name: 'operator'`, `"roles": ["operator", "safety"]`. */
const SPEAKERS =
  /--(?:by|role)[ =]'?([A-Za-z][\w-]*)|\b(?:(?:by|role|subject)["']?:|Person = \{ name:) ['"]([^'"\n]+)|\broles["']?: \[([^\]\n]+)/g;

function speakersIn(text: string): readonly string[] {
  return [...text.matchAll(SPEAKERS)].flatMap(([, typed, said, listed = '']) => {
    const one = typed ?? said;
    return one === undefined ? (listed.match(/[\w-]+/g) ?? []) : [one];
  });
}

const FILES = ['docs', 'examples', 'src/cli/commands'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|ts|json)$/.test(name) && !name.startsWith('api'))
    .map((name) => `${folder}/${name}`),
);

describe('the names of people', () => {
  test('are roles in pages, examples and the help', () => {
    const found = ['README.md', ...FILES].flatMap((file) =>
      speakersIn(readSource(file)).map((name) => [file, name] as const),
    );
    expect(found.length).toBeGreaterThan(50);
    expect(found.filter(([, name]) => !ROLES.has(name))).toEqual([]);
  });

  test.each<[text: string, names: readonly string[]]>([
    ['approve plan-1 --by somebody --role=lab', ['somebody', 'lab']],
    ["{ kind, by: 'somebody', digest }", ['somebody']],
    ['{"by": "somebody"}', ['somebody']],
    ['"roles": ["operator", "somebody"], "count": 2', ['operator', 'somebody']],
    ["FIRST: Person = { name: 'somebody', role: 'lab' };", ['somebody', 'lab']],
  ])('are found in %s', (text, names) => {
    expect(speakersIn(text)).toEqual(names);
  });
});
