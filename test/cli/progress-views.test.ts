/** A run as it is drawn on a terminal, and told in lines without one. */

import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from 'vitest';
import { progressView } from '../../src/cli/running/follow-run.ts';
import { createOutput } from '../../src/cli/terminal/index.ts';
import { type CompiledPlan } from '../../src/plan/index.ts';
import type { NodeStatus, NodeView, RunStatus, RunView } from '../../src/protocol/index.ts';
import { NO_VIEW } from '../../src/client/follow.ts';
import { compiledPlan } from '../support/plans.ts';

const left = { task: 'left' };
const plan = compiled({
  goal: 'g',
  plan: { operator: 'MINUS', left, right: { operator: 'UNION', left, right: { task: 'right' } } },
});
const counts: RunStatus['counts'] = {
  total: 4,
  pending: 0,
  running: 0,
  waiting: 0,
  succeeded: 4,
  reused: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  uncertain: 0,
};
const running: RunStatus = {
  phase: 'running',
  chain: 'c',
  startedAt: '2026-01-02T03:04:05.000Z',
  revision: 1,
  digest: plan.digest,
  waitingFor: 0,
  counts,
};

let stderr: MockInstance<typeof process.stderr.write>;

beforeEach(() => {
  stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.useFakeTimers({ now: Date.parse('2026-01-02T03:04:17.500Z') });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function compiled(document: unknown): CompiledPlan {
  return compiledPlan(document).plan;
}

function written(): string {
  return stderr.mock.calls.map(([text]) => String(text)).join('');
}

function view(id: string, status: NodeStatus, count = 0): NodeView {
  const result = { ref: 'r', kind: 'set', count, bytes: 1 } as const;
  return { id, status, summary: id, executor: 'operator', ...(status === 'succeeded' && { result }) };
}

function nodes(...statuses: NodeStatus[]): NodeView[] {
  return statuses.map((status, i) => view(`node_${i + 1}`, status, 1000 * (i + 1)));
}

function opened(canRedraw: boolean) {
  return progressView(plan, { ...createOutput('text', 'never'), canRedraw });
}

/** What a terminal would do with it: lines that are cut, the cursor up and the rest erased. */
const BLOCK = (...lines: string[]) => `\u001B[?7l${lines.map((line) => `${line}\n`).join('')}\u001B[?7h`;
const BACK = (lines: number) => `\r\u001B[${lines}A\u001B[0J`;

function now(nodesNow: readonly NodeView[], over: Partial<RunStatus> = {}): RunView {
  const pending = nodesNow.filter(({ status }) => status === 'pending').length;
  return { ...NO_VIEW, nodes: nodesNow, status: { ...running, counts: { ...counts, pending }, ...over } };
}

const HALF = nodes('succeeded', 'running', 'pending', 'pending');
const TREE = [
  '· node_4 MINUS  every record of node_1 that is not in node_3',
  `├─ ✓ node_1  left${' '.repeat(49)}1,000 records`,
  '└─ · node_3 UNION  every record that is in node_1 or in node_2',
  '   ├─ (see node_1)',
  '   └─ ▸ node_2  right',
];
const RUNNING = ['running, 12 s: 4 of 4 nodes done', '▸ node_2    node_2'];

test('on a terminal the tree is drawn again in its place, what goes on now below it', () => {
  const tree = opened(true);
  tree.see(now(HALF));
  expect(written()).toBe(BLOCK(...TREE, ...RUNNING));
  stderr.mockClear();
  tree.see(now(nodes('succeeded', 'succeeded', 'failed', 'skipped')));
  expect(written().startsWith(BACK(7))).toBe(true);
  expect(written()).toContain('└─ ✗ node_3');
  tree.close();
  stderr.mockClear();
  tree.see(now(HALF, { phase: 'awaiting-approval' }));
  expect(written()).toMatch(/^waiting for a decision on the plan\n/);
});

test('the clock ticks by itself, and stops with the view', () => {
  const tree = opened(true);
  tree.see(now(HALF));
  stderr.mockClear();
  vi.advanceTimersByTime(1000);
  expect(written()).toBe(`${BACK(7)}${BLOCK(...TREE, 'running, 13 s: 4 of 4 nodes done', '▸ node_2    node_2')}`);
  tree.close();
  stderr.mockClear();
  vi.advanceTimersByTime(10_000);
  process.stderr.emit('resize');
  expect(written()).toBe('');
});

test('what is left at the end is the tree, without a clock', () => {
  const tree = opened(true);
  tree.see(now(HALF));
  stderr.mockClear();
  tree.close();
  expect(written()).toBe(`${BACK(7)}${BLOCK(...TREE)}`);
});

test('of an edited plan the tree gives way to lines', () => {
  const tree = opened(true);
  tree.see(now(HALF));
  stderr.mockClear();
  const edited = now(nodes('succeeded', 'running'), { revision: 2 });
  tree.see(edited);
  expect(written()).toContain('[1/4] ✓ node_1');
  expect(written().endsWith(BLOCK(...RUNNING))).toBe(true);
});

test('without a terminal each node that ended has one line, once', () => {
  const lines = opened(false);
  lines.see(now(nodes('succeeded', 'running', 'pending', 'pending')));
  lines.see(now(nodes('succeeded', 'running', 'pending', 'pending')));
  lines.see(now(nodes('succeeded', 'succeeded', 'failed', 'skipped')));
  expect(written()).toBe(
    [
      'running 4 nodes',
      '[1/4] ✓ node_1  node_1  succeeded  1,000 records',
      '[2/4] ✓ node_2  node_2  succeeded  2,000 records',
      '[3/4] ✗ node_3  node_3  failed',
      '[4/4] – node_4  node_4  skipped',
      '',
    ].join('\n'),
  );
});

const AWAY: RunView = { ...NO_VIEW, trouble: { code: 'no-worker', message: 'no worker' } };

test('a trouble is told once, and again when it came back after an answer', () => {
  const lines = opened(false);
  for (const one of [AWAY, AWAY, now([]), AWAY]) lines.see(one);
  expect(written()).toBe('note: no worker\nrunning 4 nodes\nnote: no worker\n');
});

test('a node that waits for a person has not ended, and an edited plan is told anew', () => {
  const lines = opened(false);
  const waits = nodes('succeeded', 'waiting', 'pending', 'pending');
  lines.see(now(waits));
  lines.see(now(waits, { phase: 'awaiting-approval' }));
  lines.see(now(waits));
  lines.see(now(nodes('reused', 'succeeded'), { revision: 2, digest: 'f'.repeat(64) }));
  expect(written()).toBe(
    [
      'running 4 nodes',
      '[1/4] ✓ node_1  node_1  succeeded  1,000 records',
      'waiting for a decision on the plan',
      'running 4 nodes',
      `the plan was edited: revision 2, digest ${'f'.repeat(64)}`,
      '[1/4] ✓ node_1  node_1  reused',
      '[2/4] ✓ node_2  node_2  succeeded  2,000 records',
      '',
    ].join('\n'),
  );
});

test('a plan that was made anew is told as that, with why', () => {
  const lines = opened(false);
  const why = 'node_2 (Read) failed as REPLANNING: gone';
  lines.see(now([], { planning: { stage: 'write', plan: 1, call: 1, why } }));
  lines.see(now([], { planning: { stage: 'select', plan: 0, call: 0, why, trouble: why } }));
  const replanned = { times: 2, revision: 2, why };
  lines.see(now(nodes('reused', 'pending'), { revision: 2, digest: 'f'.repeat(64), replanned }));
  expect(written().split('\n').slice(0, 3)).toEqual([
    `planning anew since ${why}: write, plan 1, call 1`,
    `planning anew since ${why}: select`,
    `planned anew twice, the last as revision 2, digest ${'f'.repeat(64)}, since ${why}`,
  ]);
});

describe('while a person is asked', () => {
  test('nothing is drawn over the question, and nothing is lost', () => {
    const tree = opened(true);
    tree.hold(true);
    tree.see(now(HALF));
    tree.note('question: how many?');
    tree.see({ ...now(HALF), ...AWAY, nodes: HALF });
    vi.advanceTimersByTime(5000);
    expect(written()).toBe('');
    tree.hold(false);
    expect(written()).toMatch(/^question: how many\?\nnote: no worker\n\S+· node_4/);
    expect(written()).toContain('└─ ▸ node_2  right');
  });

  test('what is told goes above the tree, which is drawn again below it', () => {
    const tree = opened(true);
    tree.see(now(HALF));
    stderr.mockClear();
    tree.note('question: how many?');
    expect(written()).toBe(`${BACK(7)}question: how many?\n${BLOCK(...TREE, ...RUNNING)}`);
  });
});

describe('a goal that is planned, without a terminal', () => {
  const planning: RunStatus = { ...running, phase: 'drafting', planning: { stage: 'extract', plan: 0, call: 0 } };
  const away = 'waits for the model server: local answered 503, since 03:04:05 UTC; try 2 at 03:04:09 UTC';

  test('is told to wait for its model, in the words of the run, once for each try', () => {
    const shown = opened(false);
    for (const waits of [away, away, away.replace('try 2', 'try 3')]) shown.see(now([], { ...planning, waits }));
    shown.close();
    expect(
      written()
        .split('\n')
        .filter((line) => line.includes('503')),
    ).toEqual([`note: it ${away}`, `note: it ${away.replace('try 2', 'try 3')}`]);
  });

  test('names a plan that no model has made', () => {
    const shown = opened(false);
    shown.see(now([], { phase: 'awaiting-approval', fallback: true }));
    shown.close();
    expect(written()).toContain('waiting for a decision on a fallback plan: no model has made a valid one');
  });
});
