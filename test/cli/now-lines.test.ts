/** What a run is at, at one moment, in lines for a terminal. */

import { describe, expect, test } from 'vitest';
import type { AttemptView } from '../../src/client/index.ts';
import { NO_VIEW } from '../../src/client/follow.ts';
import type { CompiledPlan, JsonValue } from '../../src/plan/index.ts';
import type { NodeView, OpenItem, RunView } from '../../src/protocol/index.ts';
import { nowLines } from '../../src/cli/view/now-lines.ts';
import { attemptNow, isInTrouble } from '../../src/operations/words/index.ts';
import { status } from '../client/follow/fake-run.ts';
import { columnsIn } from '../plan/lines/wide-texts.ts';
import { expectGolden } from '../plan/golden.ts';

const NOW = Date.parse('2026-01-02T03:05:00.000Z');
/** Seconds from now. */
const at = (seconds: number) => new Date(NOW + 1000 * seconds).toISOString();

const attempt = (over: Partial<AttemptView> = {}): AttemptView => ({
  ...{ id: 'node_1', attempt: 1, state: 'is carried out', worker: '4711@host planwright/0a1b' },
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
const item = (over: Partial<OpenItem>): OpenItem => ({
  ...{ id: 'q', kind: 'question', workflowId: 'run-1', digest: 'd', revision: 1, text: 'How many?' },
  ...{ since: at(-9), deadline: at(580), nodes: ['node_6'], nodeCount: 1, send: { name: 'answer', input: {} } },
  ...over,
});

const counts = { total: 9, succeeded: 3, running: 4, waiting: 1, pending: 1 };
const busy: RunView = {
  ...NO_VIEW,
  status: status({ counts, waitingFor: 2 }),
  nodes: [
    node('node_3', 'Find the beam', { status: 'succeeded', endedAt: at(-1) }),
    node('node_4', 'Move the stage to the sample position and wait until it stands', { key: 'position' }),
    node('node_5', 'Take a picture', { key: 'picture', scheduledAt: at(-3) }),
    node('node_6', 'Ask for the dose', { status: 'waiting' }),
    node('node_7', 'Write the log', { scheduledAt: at(-75) }),
    node('node_8', 'Measure the current'),
  ],
  attempts: [
    attempt({ id: 'node_4', heardAt: at(-1), overdueAt: at(9) }),
    attempt({ id: 'node_5', state: 'waits for a worker' }),
    attempt({ id: 'node_7', attempt: 2, heardAt: at(-8), overdueAt: at(2) }),
    attempt({
      id: 'node_8',
      attempt: 3,
      state: 'waits for a worker',
      nextAt: at(3.5),
      lastFailure: 'no route to host',
    }),
  ],
  open: [
    item({ roles: ['lab'] }),
    item({
      id: 'approval',
      kind: 'approval',
      roles: ['operator'],
      send: { name: 'approve', input: {} },
      nodes: [],
      nodeCount: 3,
      asks: '2 reads, 1 at-most-once: pay (cost 10)',
    }),
  ],
};

const lines = (view: RunView, width = 80, most = 20) => nowLines(view, { width, most, now: NOW }).join('\n');

describe('a run at one moment', () => {
  test.each([40, 80, 120])('in %d columns', (width) => {
    const text = lines(busy, width);
    expectGolden(`now-lines.${width}.txt`, text);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  test.each([40, 80, 120])('in wide characters in %d columns, its clocks below each other', (width) => {
    const wide = '遺伝子の座標を読み取る'.repeat(4);
    const view: RunView = {
      ...busy,
      nodes: busy.nodes.map((one) => ({ ...one, summary: wide, ...(one.key !== undefined && { key: '位置' }) })),
      open: busy.open.map((one) => ({ ...one, text: wide, asks: wide, roles: ['研究者'] })),
    };
    const told = lines(view, width).split('\n');
    expect(told.filter((line) => columnsIn(line) > width)).toEqual([]);
    expect(told.filter((line) => line.includes('位置'))).toHaveLength(2);
    const clocks = told.flatMap((line) => /^. \S+(?: \S+)*? {2,}\d+ \w+(?: \d+ s)?(?= {2}|$)/.exec(line)?.[0] ?? []);
    expect(clocks).toHaveLength(6);
    expect(new Set(clocks.map(columnsIn)).size).toBe(1);
  });

  test.each<[head: string, over: Parameters<typeof status>[0]]>([
    ['drafting, 55 s', { phase: 'drafting' }],
    [
      'awaiting approval, 55 s: 0 of 2 nodes done, waits for a person: 1',
      { phase: 'awaiting-approval', waitingFor: 1, counts: { total: 2, pending: 2 } },
    ],
    ['paused, 55 s: 1 of 2 nodes done, 1 failed', { paused: true, counts: { total: 2, succeeded: 1, failed: 1 } }],
  ])('%s', (head, over) => {
    expect(lines({ ...NO_VIEW, status: status(over) }).split('\n')[0]).toBe(head);
  });

  test('where no worker answers the server tells on, and where no server does nobody', () => {
    const silent = lines({ ...busy, trouble: { code: 'no-worker', message: '' } });
    expect(silent).toMatch(/^no worker answers; running, 55 s: /);
    expect(silent).toContain('heartbeat overdue in 2 s');
    const away = lines({ ...busy, trouble: { code: 'no-server', message: '' } });
    expect(away).toMatch(/^no server answers; running, 55 s: /);
    expect(away).not.toContain('heartbeat');
  });

  test('planning, deciding and agents at work', () => {
    const planning = { stage: 'write', plan: 1, call: 2 } as const;
    expect(lines({ ...NO_VIEW, status: status({ phase: 'drafting', planning }) })).toBe(
      'drafting, 55 s\nplanning: write, plan 1, call 2',
    );
    const children = [{ node: 'node_2', workflowId: 'run-1.node_2', waitingFor: 1 }];
    const loop = { round: 3, maxRounds: 100, step: 'look up the genes' };
    const agents: RunView = {
      ...NO_VIEW,
      status: status({ counts: { total: 2, running: 1, pending: 1 }, children, loop }),
      nodes: [node('node_2', 'Read on', { executor: 'agent reader' })],
      open: [item({ workflowId: 'run-1.node_2', nodes: ['node_1'] })],
    };
    expect(lines(agents)).toBe(
      [
        'running, 55 s: 0 of 2 nodes done, 1 under way, waits for a person: 1',
        'round 3 of at most 100: look up the genes',
        '? agent of node_2   9 s  waits for anybody: answer; expires in 9 min 40 s  How …',
        '▸ node_2           14 s  by its agent, run run-1.node_2  Read on',
      ].join('\n'),
    );
  });

  test('what others wrote cannot rule the terminal', () => {
    const evil = '\u001b[2J\n\u202e';
    const view: RunView = {
      ...busy,
      nodes: busy.nodes.map((one) => ({ ...one, summary: evil, ...(one.key !== undefined && { key: evil }) })),
      attempts: busy.attempts.map((one) => ({ ...one, worker: evil, lastFailure: evil })),
      open: busy.open.map((one) => ({ ...one, text: evil, asks: evil, roles: [evil] })),
    };
    // oxlint-disable-next-line no-control-regex
    expect(lines(view, 120)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  test.each([40, 80])('an effect has its arguments below it, cut at %d columns with a mark', (width) => {
    const given = withArguments(busy, { node_4: { microns: 120 }, node_5: { path: 'a'.repeat(100) } });
    const told = lines(given, width).split('\n');
    const below = (id: string) => told[told.findIndex((line) => line.includes(id)) + (width < 60 ? 2 : 1)];
    expect(below('node_4')).toBe('    the arguments {"microns":120}');
    expect(below('node_5')).toBe(`    the arguments {"path":"${'a'.repeat(width - 28)}…`);
    expect(told.filter((line) => line.includes('the arguments'))).toHaveLength(2);
    expect(told.every((line) => line.length <= width)).toBe(true);
  });
});

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
