/** A run in lines while it goes on. */

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
  firstRunId: 'c',
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

function opened(noteColumns = Infinity) {
  return progressView({ ...createOutput('text', 'never'), noteColumns });
}

/** A line of the moment that the clock shows; streams end in an empty one. */
function timed(line: string): string {
  return line === '' ? '' : `03:04:17Z ${line}`;
}

function now(nodesNow: readonly NodeView[], over: Partial<RunStatus> = {}): RunView {
  const pending = nodesNow.filter(({ status }) => status === 'pending').length;
  return { ...NO_VIEW, nodes: nodesNow, status: { ...running, counts: { ...counts, pending }, ...over } };
}

const HALF = nodes('succeeded', 'running', 'pending', 'pending');

test('without a terminal each node that ended has one line, once', () => {
  const lines = opened();
  lines.see(now(nodes('succeeded', 'running', 'pending', 'pending')));
  lines.see(now(nodes('succeeded', 'running', 'pending', 'pending')));
  lines.see(now(nodes('succeeded', 'succeeded', 'failed', 'skipped')));
  expect(written()).toBe(
    [
      '03:04:17Z running 4 nodes',
      '03:04:17Z [1/4] ✓ node_1  node_1  succeeded  1,000 records',
      '03:04:17Z [2/4] ✓ node_2  node_2  succeeded  2,000 records',
      '03:04:17Z [3/4] ✗ node_3  node_3  failed',
      '03:04:17Z [4/4] – node_4  node_4  skipped',
      '',
    ].join('\n'),
  );
});

const AWAY: RunView = { ...NO_VIEW, trouble: { code: 'no-worker', message: 'no worker' } };

test('a trouble is told once, and again when it came back after an answer', () => {
  const lines = opened();
  for (const one of [AWAY, AWAY, now([]), AWAY]) lines.see(one);
  expect(written()).toBe(['note: no worker', 'running 4 nodes', 'note: no worker', ''].map(timed).join('\n'));
});

test('a node that waits for a person has not ended, and an edited plan is told anew', () => {
  const lines = opened();
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
    ]
      .map(timed)
      .join('\n'),
  );
});

test('a plan that was made anew is told as that, with why', () => {
  const lines = opened();
  const why = 'node_2 (Read) failed as REPLANNING: gone';
  lines.see(now([], { planning: { stage: 'write', plan: 1, call: 1, why } }));
  lines.see(now([], { planning: { stage: 'select', plan: 0, call: 0, why, trouble: why } }));
  const replanned = { times: 2, revision: 2, why };
  lines.see(now(nodes('reused', 'pending'), { revision: 2, digest: 'f'.repeat(64), replanned }));
  expect(written().split('\n').slice(0, 3)).toEqual([
    timed(`replanning since ${why}: write, plan 1, call 1`),
    timed(`replanning since ${why}: select`),
    timed(`replanned twice, the last as revision 2, digest ${'f'.repeat(64)}, since ${why}`),
  ]);
});

test('an attempt after the first has a line, and a node that ended has its own time', () => {
  const lines = opened();
  const attempt = { id: 'node_2', attempt: 2, state: 'waits for a worker', lastFailure: 'worker lost' } as const;
  lines.see({ ...now(HALF), attempts: [attempt] });
  const [first, ...others] = nodes('succeeded', 'running');
  lines.see(now([{ ...first!, endedAt: '2026-01-02T03:04:09.000Z' }, ...others]));
  expect(written()).toContain(timed('node_2: attempt 2 waits for a worker; the one before it ended with: worker lost'));
  const again = opened();
  again.see(now([{ ...first!, endedAt: '2026-01-01T23:59:09.000Z' }, ...others]));
  expect(written()).toContain('2026-01-01 23:59:09Z [1/4] ✓ node_1');
});

test.each([80, 120])(
  'in %d columns a line is cut, and a long value takes neither the title nor the time',
  (columns) => {
    const lines = opened(columns);
    const [node] = nodes('succeeded');
    const times = { scheduledAt: '2026-01-02T03:04:05.000Z', endedAt: '2026-01-02T03:04:15.000Z' };
    const summary = 'Read the exons of RefSeq transcripts';
    lines.see(now([{ ...node!, ...times, summary, value: 'long '.repeat(40) } as NodeView]));
    const [, line = ''] = written().split('\n');
    expect(line.length).toBeLessThanOrEqual(columns);
    expect(line).toMatch(/✓ node_1 {2}Read the exons .* {2}"long .*… {2}10\.0 s$/);
  },
);

test('of many nodes that end together the first have lines, failures before all, and the rest is counted', () => {
  const lines = opened();
  const many = Array.from({ length: 500 }, (_, i) => view(`node_${i + 1}`, i < 497 ? 'succeeded' : 'failed'));
  lines.see(now(many, { counts: { ...counts, total: 500, succeeded: 497, failed: 3 } }));
  const told = written().trimEnd().split('\n');
  expect(told).toHaveLength(22);
  expect(told[1]).toContain('[1/500] ✗ node_498');
  expect(told.filter((line) => line.includes('✗'))).toHaveLength(3);
  expect(told.at(-1)).toBe('and 480 more nodes ended; 497 of 500 nodes done, 3 failed');
});

test('after a silence it says how the run stands, each time after twice as long, until its end', () => {
  const lines = opened();
  lines.see(now(HALF));
  stderr.mockClear();
  vi.advanceTimersByTime(9999);
  expect(written()).toBe('');
  vi.advanceTimersByTime(1);
  expect(written()).toBe('running, 22 s: 4 of 4 nodes done\n');
  vi.advanceTimersByTime(50_000);
  expect(written().split('\n')).toHaveLength(3);
  stderr.mockClear();
  lines.note('a line');
  vi.advanceTimersByTime(10_000);
  expect(written()).toMatch(/^a line\nrunning, .*\n$/);
  lines.close();
  stderr.mockClear();
  vi.advanceTimersByTime(1_000_000);
  expect(written()).toBe('');
});

test('while a person is asked nothing is printed, and nothing is lost', () => {
  const lines = opened();
  lines.hold(true);
  lines.see(now(HALF));
  lines.note('question: how many?');
  vi.advanceTimersByTime(60_000);
  expect(written()).toBe('');
  lines.hold(false);
  expect(written()).toMatch(/running 4 nodes\n.*node_1.*\nquestion: how many\?\n$/);
});

describe('a goal that is planned', () => {
  const planning: RunStatus = { ...running, phase: 'drafting', planning: { stage: 'extract', plan: 0, call: 0 } };
  const away = 'waits for the model server: local answered 503, since 03:04:05 UTC; try 2 at 03:04:09 UTC';

  test('is told to wait for its model, in the words of the run, once for each try', () => {
    const shown = opened();
    for (const waits of [away, away, away.replace('try 2', 'try 3')]) shown.see(now([], { ...planning, waits }));
    shown.close();
    expect(
      written()
        .split('\n')
        .filter((line) => line.includes('503')),
    ).toEqual([timed(`note: it ${away}`), timed(`note: it ${away.replace('try 2', 'try 3')}`)]);
  });

  test('names a plan that no model has made', () => {
    const shown = opened();
    shown.see(now([], { phase: 'awaiting-approval', fallback: true }));
    shown.close();
    expect(written()).toContain('waiting for a decision on a fallback plan: no model has made a valid one');
  });
});
