/** What waits for a person, as the command that a shell takes. */

import { describe, expect, test } from 'vitest';
import { approveView } from '../../src/cli/commands/decide.ts';
import { VIEWS } from '../../src/cli/commands/views.ts';
import { commandFor, commandLines, openLines } from '../../src/cli/view/index.ts';
import { quoteForShell as shellWord } from '../../src/plan/text/index.ts';
import type { OpenItem } from '../../src/protocol/index.ts';

const item: OpenItem = {
  id: '3fa9c1d2.node_3',
  kind: 'question',
  workflowId: 'plan-1',
  digest: '3fa9c1d2'.repeat(8),
  revision: 1,
  text: 'How many?',
  since: '2026-01-01T00:00:00.000Z',
  deadline: '2026-01-02T00:00:00.000Z',
  nodes: ['node_3'],
  nodeCount: 1,
  send: { name: 'answer', input: { question: '3fa9c1d2.node_3', value: 'ANSWER', by: 'YOUR NAME' } },
};
const digest = { digest: '3fa9c1d2', by: 'YOUR NAME' };

function sends(
  name: OpenItem['send']['name'],
  input: OpenItem['send']['input'],
  over: Partial<OpenItem> = {},
): OpenItem {
  return { ...item, send: { name, input }, ...over };
}

describe('the command that says it', () => {
  test.each<[string, OpenItem, string]>([
    ['an approval', sends('approve', digest), 'approve plan-1 --digest 3fa9c1d2 --address h:1'],
    [
      'an approval of one role',
      sends('approve', digest, { roles: ['lab lead'] }),
      "approve plan-1 --digest 3fa9c1d2 --role 'lab lead' --address h:1",
    ],
    [
      'an approval of mine among roles',
      sends('approve', digest, { roles: ['a', 'mine'] }),
      'approve plan-1 --digest 3fa9c1d2 --role mine --address h:1',
    ],
    [
      'an approval of other roles',
      sends('approve', digest, { roles: ['a', 'b'] }),
      'approve plan-1 --digest 3fa9c1d2 --role ROLE --address h:1',
    ],
    [
      'a rejected plan',
      sends('decide', { kind: 'edit', ...digest, plan: {} }),
      'edit plan-1 --digest 3fa9c1d2 --plan FILE --address h:1',
    ],
    ['a question', item, 'answer plan-1 3fa9c1d2.node_3 ANSWER --address h:1'],
    ['a suggestion', sends('answer', { value: "it's" }), `answer plan-1 3fa9c1d2.node_3 'it'\\''s' --address h:1`],
    ['a default', sends('answer', { value: { n: [1] } }), `answer plan-1 3fa9c1d2.node_3 '{"n":[1]}' --address h:1`],
    [
      'a run named with care',
      sends('control', { action: 'retry-node', node: 'node_1' }, { workflowId: 'a b;$(c)' }),
      "retry 'a b;$(c)' node_1 --address h:1",
    ],
    [
      'an uncertain node',
      sends('control', { action: 'resolve', node: 'node_1', outcome: 'failed' }),
      'resolve plan-1 node_1 --outcome failed --address h:1',
    ],
  ])('of %s', (_, open, command) => {
    expect(commandFor(open, ' --address h:1', 'mine')).toBe(`npx planwright ${command}`);
  });

  test.each<[string, OpenItem, readonly string[]]>([
    [
      'an uncertain node',
      sends('control', { action: 'resolve', node: 'node_1', outcome: 'OUTCOME' }, { kind: 'uncertain' }),
      ['resolve plan-1 node_1 --outcome succeeded', 'resolve plan-1 node_1 --outcome failed'],
    ],
    [
      'a failed node',
      sends('control', { action: 'retry-node', node: 'node_1' }, { kind: 'failed' }),
      ['retry plan-1 node_1', 'skip plan-1 node_1'],
    ],
    [
      'a fault',
      sends('control', { action: 'resume' }, { kind: 'fault', ways: ['resume', 'kill'] }),
      ['resume plan-1', 'kill plan-1 --comment WHY'],
    ],
    [
      'yes or no',
      { ...item, schema: { type: 'boolean' } },
      ['answer plan-1 3fa9c1d2.node_3 yes', 'answer plan-1 3fa9c1d2.node_3 no'],
    ],
    [
      'one of a few',
      { ...item, schema: { enum: ['a b', 2] } },
      ["answer plan-1 3fa9c1d2.node_3 'a b'", 'answer plan-1 3fa9c1d2.node_3 2'],
    ],
    ['one of many', { ...item, schema: { enum: [1, 2, 3, 4, 5, 6] } }, ['answer plan-1 3fa9c1d2.node_3 ANSWER']],
  ])('is one for each value: %s', (_, open, commands) => {
    const lines = commandLines('next', open, '');
    const typed = commands.map((command) => `npx planwright ${command}`);
    expect(lines).toEqual(
      typed.length === 1 ? [`next: ${typed[0]}`] : ['next one of:', ...typed.map((line) => `  ${line}`)],
    );
  });

  test('stands below what is asked', () => {
    expect(openLines(item, '')).toBe(
      'question: How many?\nanswer with: npx planwright answer plan-1 3fa9c1d2.node_3 ANSWER',
    );
    const forged = { ...item, text: 'How many?\nanswer with: pay' };
    expect(openLines(forged, '')).toMatch(/^question: How many\?\n {2}answer with: pay\nanswer with: npx /);
    expect(openLines(sends('approve', digest), '')).toBe(
      'approve with: npx planwright approve plan-1 --digest 3fa9c1d2',
    );
  });
});

test.each([
  '',
  ' ',
  '-',
  '*',
  '~',
  '#',
  '!',
  "'",
  '"',
  '\\',
  '$HOME',
  'a\nb',
  '{a,b}',
  '[a]',
  'a&b',
  'a|b',
  '<a',
  '(a)',
  '`a`',
  '?',
])('a shell reads %j as one word', async (text) => {
  const { execFileSync } = await import('node:child_process');
  const read = execFileSync('sh', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' });
  expect(read).toBe(`${text}|`);
});

describe('a script that approves without a digest gets the command', () => {
  const asked = (over: object = {}) => sends('approve', { ...digest, shown: 'abcd1234' }, over);
  test.each<[string, OpenItem, object, string]>([
    ['with what it shows', asked(), {}, 'approve plan-1 --digest 3fa9c1d2 --shown abcd1234'],
    [
      'with all that was typed',
      asked(),
      { role: 'qa', comment: 'it is off', by: 'operator', key: 'a.pem', allSeen: 3 },
      "approve plan-1 --all-seen 3 --role qa --comment 'it is off' --by operator --key a.pem --digest 3fa9c1d2 --shown abcd1234",
    ],
    ['that shows all, of a card that does not', asked({ leftOut: 'more' }), {}, 'effects plan-1'],
  ])('%s', async (_, open, typed, command) => {
    const run = { workflowId: 'plan-1', view: async () => ({ plan: { digest: open.digest }, open: [open] }) };
    const shell = { typed, flags: ' --address h:1', output: { canAsk: false }, plans: { run: async () => ({ run }) } };
    const approved = approveView.handle!(
      () => expect.unreachable(),
      { workflowId: 'plan-1', ...typed },
      shell as never,
    );
    await expect(approved).rejects.toMatchObject({ details: { command: `npx planwright ${command} --address h:1` } });
  });
});

test('what may be removed from a store is removed from the same one', async () => {
  const { notes } = await VIEWS.collectStore!();
  const typed = { store: 's3://x y', also: ['one', 'two'], deleted: true, olderThan: 30 };
  expect(await notes!({} as never, { typed, flags: ' --address h:1' } as never)).toEqual([
    "nothing was removed; remove it with: npx planwright store gc --remove --store 's3://x y' --deleted --older-than 30 --also one --also two --address h:1",
  ]);
});
