/** What a run is at, at one moment, in lines for a terminal. */

import { describe, expect, test } from 'vitest';
import type { AttemptView } from '../../src/client/index.ts';
import { NO_VIEW } from '../../src/client/follow.ts';
import type { CompiledPlan, JsonValue } from '../../src/plan/index.ts';
import type { NodeView, RunView } from '../../src/protocol/index.ts';
import { nowLines } from '../../src/cli/view/now-lines.ts';
import { attemptNow, isInTrouble } from '../../src/operations/words/index.ts';
import { status } from '../client/follow/fake-run.ts';

const NOW = Date.parse('2026-01-02T03:05:00.000Z');
/** Seconds from now. */
const at = (seconds: number) => new Date(NOW + 1000 * seconds).toISOString();

const attempt = (over: Partial<AttemptView> = {}): AttemptView => ({
  ...{ id: 'node_1', attempt: 1, state: 'is carried out', failures: 0, others: 0, worker: '4711@host planwright/0a1b' },
  ...over,
});

describe('an attempt', () => {
  test.each<[says: string, isTrouble: boolean, one: Partial<AttemptView>]>([
    ['', false, {}],
    ['heartbeat 2 s ago', false, { heardAt: at(-2.5), overdueAt: at(7.5) }],
    ['heartbeat 40 s ago', false, { heardAt: at(-40) }],
    ['heartbeat 0 s ago', false, { heardAt: at(3), overdueAt: at(13) }],
    ['heartbeat overdue in 3 s', true, { heardAt: at(-7.5), overdueAt: at(2.5) }],
    ['heartbeat overdue since 2 s: goes to another worker', true, { heardAt: at(-12.5), overdueAt: at(-2.5) }],
    ['heartbeat overdue since 2 s: given up', true, { heardAt: at(-12), overdueAt: at(-2), isLast: true }],
    ['attempt 2, heartbeat 1 s ago', false, { attempt: 2, heardAt: at(-1), overdueAt: at(9) }],
    ['is asked to stop, heartbeat 1 s ago', false, { state: 'is asked to stop', heardAt: at(-1), overdueAt: at(9) }],
    ['is paused', false, { state: 'is paused', heardAt: at(-1), overdueAt: at(9) }],
    ['waits for a worker', false, { state: 'waits for a worker' }],
    ['attempt 3 waits for a worker', true, { state: 'waits for a worker', attempt: 3, nextAt: at(-1) }],
    [
      'attempt 3 in 4 s (no route)',
      true,
      { state: 'waits for a worker', attempt: 3, nextAt: at(3.2), lastFailure: 'no\nroute' },
    ],
  ])('%s', (says, isTrouble, one) => {
    expect(attemptNow(attempt(one), NOW).says).toBe(says);
    expect(isInTrouble(attempt(one), NOW)).toBe(isTrouble);
  });

  test('is named with the process and the host of its worker', () => {
    expect(attemptNow(attempt(), NOW).by).toBe('by 4711@host');
    expect(attemptNow(attempt({ worker: 'a\u001b[2Jb' }), NOW).by).toBe('by a\\u001b[2Jb');
  });
});

const node = (id: string, summary: string, over: Partial<NodeView> = {}): NodeView => ({
  ...{ id, status: 'running', summary, executor: 'capability note@1', scheduledAt: at(-14) },
  ...over,
});

const lines = (view: RunView, width = 80, most = 20) => nowLines(view, { width, most, now: NOW }).join('\n');

describe('more than fits', () => {
  const many = (count: number): RunView => ({
    ...NO_VIEW,
    status: status({ counts: { total: count, running: count } }),
    nodes: Array.from({ length: count }, (_, i) => node(`node_${i + 1}`, 'Measure')),
    attempts: Array.from({ length: count }, (_, i) =>
      attempt({ id: `node_${i + 1}`, heardAt: at(-1), overdueAt: at(i === count - 1 ? 0 : 9) }),
    ),
  });

  test('is the first ones, what is in trouble before all, and how many more there are', () => {
    expect(lines(many(8000), 80, 5)).toBe(
      [
        'running, 55 s: 0 of 8,000 nodes done, 8,000 under way',
        '▸ node_8000  14 s  heartbeat overdue since 0 s: goes to another worker  by 4711…',
        '▸ node_1     14 s  heartbeat 1 s ago  by 4711@host  Measure',
        '▸ node_2     14 s  heartbeat 1 s ago  by 4711@host  Measure',
        '… and 7,997 more under way',
      ].join('\n'),
    );
  });

  test.each([40, 80])('in %d columns no line is too many, and none is lost', (width) => {
    for (let most = 4; most < 12; most += 1) {
      for (const count of [1, 3, 9]) {
        const given = withArguments(many(count), { node_1: { of: 1 }, node_2: { of: 2 }, node_4: { of: 4 } });
        const told = lines(given, width, most).split('\n');
        const [, more = '0'] = /and (\d) more/.exec(told.at(-1)!) ?? [];
        expect(told.length).toBeLessThanOrEqual(most);
        expect(told.filter((line) => line.startsWith('▸')).length + Number(more)).toBe(count);
      }
    }
    for (let most = 1; most < 4; most += 1)
      for (const count of [1, 3, 9])
        expect(lines(many(count), width, most).split('\n').length).toBeLessThanOrEqual(most);
  });
});

/** The same, with effects that are given these arguments. */
function withArguments(view: RunView, given: Readonly<Record<string, JsonValue>>): RunView {
  const tasks = Object.entries(given).map(([id, args]) => [id, { kind: 'task', arguments: args }]);
  return {
    ...view,
    nodes: view.nodes.map((one) => ({ ...one, effect: 'idempotent' as const })),
    compiled: { nodesById: Object.fromEntries(tasks) as CompiledPlan['nodesById'] } as CompiledPlan,
  };
}
