/** A run as it is drawn on a terminal, and told in lines without one. */

import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from 'vitest';
import { progressView } from '../../src/cli/showing/index.ts';
import { createOutput } from '../../src/terminal/index.ts';
import { compilePlan, type CompiledPlan } from '../../src/plan/index.ts';
import type { NodeStatus, NodeView, RunStatus } from '../../src/contract/index.ts';

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
  startedAt: '2026-01-02T03:04:05.000Z',
  revision: 1,
  digest: plan.digest,
  waitingFor: 0,
  counts,
};

let stderr: MockInstance<typeof process.stderr.write>;

beforeEach(() => {
  stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function compiled(document: unknown): CompiledPlan {
  const result = compilePlan(document);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.plan;
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

test('on a terminal the tree is drawn again in its place, with the count of each node that ended', () => {
  const tree = opened(true);
  tree.nodes(nodes('succeeded', 'running', 'pending', 'pending'), running);
  expect(written()).toBe(
    [
      '· node_4  every record of node_1 that is not in node_3',
      `├─ ✓ node_1  left${' '.repeat(49)}1,000 records`,
      '└─ · node_3  every record that is in node_1 or in node_2',
      '   ├─ (see node_1)',
      '   └─ ▸ node_2  right',
      '',
    ].join('\n'),
  );
  stderr.mockClear();
  tree.nodes(nodes('succeeded', 'succeeded', 'failed', 'skipped'), running);
  expect(written().startsWith('\u001B[5A\u001B[0J')).toBe(true);
  expect(written()).toContain('└─ ✗ node_3');
  tree.close();
  stderr.mockClear();
  tree.phase({ ...running, phase: 'awaiting-approval' });
  expect(written()).toBe('waiting for a decision on the plan\n');
});

test('without a terminal each node that ended has one line, once', () => {
  const lines = opened(false);
  lines.phase(running);
  lines.phase(running);
  lines.nodes(nodes('succeeded', 'running', 'pending', 'pending'), running);
  lines.nodes(nodes('succeeded', 'succeeded', 'failed', 'skipped'), running);
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

test('a trouble is told once, and again when it came back after an answer', () => {
  const lines = opened(false);
  lines.trouble('no worker');
  lines.trouble('no worker');
  lines.phase(running);
  lines.trouble('no worker');
  expect(written()).toBe('note: no worker\nrunning 4 nodes\nnote: no worker\n');
});

test('a node that waits for a person has not ended, and an edited plan is told anew', () => {
  const lines = opened(false);
  lines.phase(running);
  lines.nodes(nodes('succeeded', 'waiting', 'pending', 'pending'), running);
  lines.phase({ ...running, phase: 'awaiting-approval' });
  lines.phase(running);
  lines.nodes(nodes('reused', 'succeeded'), { ...running, revision: 2, digest: 'f'.repeat(64) });
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

describe('while a person is asked', () => {
  test('nothing is drawn over the question, and nothing is lost', () => {
    const tree = opened(true);
    tree.hold(true);
    tree.nodes(nodes('succeeded', 'running', 'pending', 'pending'), { ...running, phase: 'awaiting-approval' });
    tree.note('question: how many?');
    tree.trouble('no worker');
    expect(written()).toBe('');
    tree.hold(false);
    expect(written()).toMatch(/^question: how many\?\nnote: no worker\n· node_4/);
    expect(written()).toContain('└─ ▸ node_2  right');
  });

  test('what is told goes above the tree, which is drawn again below it', () => {
    const tree = opened(true);
    tree.nodes(nodes('succeeded', 'waiting', 'pending', 'pending'), running);
    stderr.mockClear();
    tree.note('question: how many?');
    expect(written().startsWith('\u001B[5A\u001B[0Jquestion: how many?\n· node_4')).toBe(true);
    expect(written()).toContain('└─ ? node_2  right');
  });
});
