/** `planwright` alone: what waits, else what to type next. */

import { expect, test } from 'vitest';
import { homeText } from '../../src/cli/overview.ts';
import type { Inbox } from '../../src/client/index.ts';
import { planwright } from './planwright.ts';

const NOTHING: Inbox = { items: [], groups: [], more: 0, unreachable: [], notAsked: 0 };

test.each([
  [{ hasConfig: false }, 'No Temporal server answers here.', 'npx planwright init'],
  [{ hasConfig: true }, 'No Temporal server answers here.', 'npx planwright run plan.yaml --dev'],
  [{ hasConfig: false, inbox: NOTHING }, 'Nothing waits for a person.', 'npx planwright demo'],
])('%j: %s and %s', (here, first, command) => {
  const lines = homeText(here, 80).split('\n');
  expect(lines[0]).toBe(first);
  expect(lines.filter((line) => line.startsWith('  npx planwright '))).toHaveLength(3);
  expect(lines.some((line) => line.startsWith(`  ${command} `))).toBe(true);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('what waits comes with the command that says it', () => {
  const item = {
    id: '3fa9c1d2',
    kind: 'approval',
    workflowId: 'plan-1',
    digest: '3fa9c1d2'.repeat(8),
    text: 'Count the words',
    nodes: ['node_1'],
    nodeCount: 1,
    since: '2026-11-22T10:00:00.000Z',
    send: { name: 'approve', input: {} },
  } as unknown as Inbox['items'][0];
  const group = { first: item, count: 1, runs: [{ workflowId: item.workflowId, revision: 1 }] };
  const text = homeText({ hasConfig: true, inbox: { ...NOTHING, items: [item], groups: [group] } }, 80);
  expect(text).toContain('planwright approve plan-1 --digest 3fa9c1d2');
  expect(text).not.toContain('Next:');
});

test('a script that names no command is told so', async () => {
  const { code, stderr } = await planwright([]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('error[USAGE]: name a command')]);
});
