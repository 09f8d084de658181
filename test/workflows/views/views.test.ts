/** What a run answers when it is asked: its status, its plan, its nodes in pages, and the next command. */

import { describe, expect, test } from 'vitest';
import type { ViewRequest } from '../../../src/protocol/index.ts';
import { fail } from '../../../src/workflows/run/nodes/progress.ts';
import { closeRun, openRun, planCompiled } from '../../../src/workflows/run/run.ts';
import { planOf, statusOf, renderView, nodesOf } from '../../../src/workflows/views/views.ts';
import {
  AT,
  bring,
  BROKE,
  DIGEST,
  executor,
  later,
  NO_PROJECT,
  openedRun,
  progressOf,
  say,
  shapeOf,
  turn,
  wideShape,
} from '../run/make-run.ts';

const PLAN_SHAPE = shapeOf([[], [], [0, 1]], { summaries: ['exons', 'repeats', 'exons MINUS repeats'] });

describe('the answers of a run', () => {
  test('name the exact next command', () => {
    expect(statusOf(openedRun(PLAN_SHAPE)).next).toBe(
      `temporal workflow signal -w plan-1 --name approve --input '{"digest":"3fa9c1d2","by":"YOUR NAME"}'`,
    );
  });

  test('quote an id that a shell would read otherwise', () => {
    const run = openRun("it's $(x)", AT);
    planCompiled(run, PLAN_SHAPE, NO_PROJECT, AT);
    expect(statusOf(run).next).toContain(String.raw`-w 'it'\''s $(x)' --name`);
  });

  test('tell the plan with its reference', () => {
    const { bounds, ...plan } = planOf(openedRun(PLAN_SHAPE));
    expect(bounds).toMatch(/^at most 3 reads; 1 approval; /);
    expect(plan).toEqual({ revision: 1, digest: DIGEST, ref: DIGEST, text: `${bounds}\ntree` });
  });

  test('are there before the plan', () => {
    const run = openRun('plan-1', AT);
    expect(statusOf(run)).toMatchObject({
      phase: 'drafting',
      revision: 0,
      digest: '',
      waitingFor: 0,
      counts: { total: 0 },
      startedAt: AT,
    });
    expect(nodesOf(run)).toEqual({ nodes: [] });
  });

  test('tell when a node was scheduled last, and when it ended', () => {
    const run = openedRun(PLAN_SHAPE);
    expect(nodesOf(run).nodes[0]).not.toHaveProperty('scheduledAt');
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' }, later(10));
    expect(nodesOf(run).nodes[0]).toMatchObject({ status: 'running', scheduledAt: later(10) });
    expect(nodesOf(run).nodes[0]).not.toHaveProperty('endedAt');
    bring(run, 0, { ...BROKE, status: 'failed' }, later(25));
    const ended = { status: 'failed', scheduledAt: later(10), endedAt: later(25), failure: BROKE };
    expect(nodesOf(run).nodes[0]).toMatchObject(ended);
    say(run, 'control', { action: 'retry-node', node: 'node_1', by: 'operator' }, later(40));
    expect(nodesOf(run).nodes[0]).toMatchObject({ status: 'running', scheduledAt: later(40) });
    expect(nodesOf(run).nodes[0]).not.toHaveProperty('endedAt');
  });

  test('tell why a run failed, and what the writer of its plan expected it to take', () => {
    const run = openedRun({ ...PLAN_SHAPE, estimatedMinutes: 7 });
    expect(statusOf(run)).toMatchObject({ estimatedMinutes: 7, startedAt: AT });
    closeRun(run, 'failed', AT, 'm'.repeat(1000));
    expect(statusOf(run)).toMatchObject({ outcome: 'failed', reason: `${'m'.repeat(499)}…` });
  });

  test('name, of a node that waits, what it still takes and who has approved it so far, and of another neither', () => {
    const planShape = shapeOf([[], []], {
      executors: [executor('read'), executor('at-most-once', 'pay')],
      executorOf: [0, 1],
    });
    const rules = [
      { effect: 'at-most-once', count: 12 },
      { capability: 'pay', roles: ['safety'] },
    ] as const;
    const run = openedRun(planShape, { approval: { rules } });
    for (const by of Array.from({ length: 9 }, (_, at) => `operator ${at}`)) {
      say(run, 'decide', { kind: 'approve-part', nodes: ['node_2'], digest: '3fa9c1d2', by });
    }
    const [reads, pays] = nodesOf(run).nodes;
    expect(reads).not.toHaveProperty('missing');
    expect(pays?.missing).toEqual([
      { count: 3, of: 12 },
      { count: 1, of: 1, roles: ['safety'] },
    ]);
    expect(pays?.approvedBy).toEqual(Array.from({ length: 8 }, (_, at) => `operator ${at}`));
  });

  test('page through the nodes', () => {
    const run = openedRun(PLAN_SHAPE);
    const first = nodesOf(run, { limit: 2 });
    expect(first.nodes.map((node) => node.id)).toEqual(['node_1', 'node_2']);
    expect(first.next).toBe('node_2');
    expect(nodesOf(run, { after: first.next })).toMatchObject({ nodes: [{ id: 'node_3' }] });
    expect(nodesOf(run, { after: first.next })).not.toHaveProperty('next');
    expect(nodesOf(run, { after: 'node_99' }).nodes).toEqual([]);
  });

  test('page through many nodes, each page of a size that fits the answer to a query', () => {
    const run = openedRun(wideShape(1234));
    for (let node = 0; node < 1234; node++)
      fail(progressOf(run), node, 'failed', { ...BROKE, message: '\u{4e2d}'.repeat(5000) });
    const ids: string[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = nodesOf(run, { after, limit: 1e9 });
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2 * 1024 * 1024);
      ids.push(...page.nodes.map(({ id }) => id));
      after = page.next;
    }
    expect(ids).toEqual(Array.from({ length: 1234 }, (_, node) => `node_${node + 1}`));
  });

  test('tell all parts of one moment, and those alone that are asked for', () => {
    const run = openedRun(PLAN_SHAPE);
    const view = renderView(run);
    expect(Object.keys(view)).toEqual(['status', 'plan', 'nodes', 'questions', 'trace']);
    expect(view).toMatchObject({ status: statusOf(run), plan: planOf(run), nodes: nodesOf(run) });
    expect(renderView(run, { parts: ['nodes'], nodes: { limit: 2 } })).toEqual({
      nodes: nodesOf(run, { limit: 2 }),
      rest: { parts: ['nodes'], nodes: { limit: 2, after: 'node_2' } },
    });
  });

  test('read on by what an answer leaves over, until all is told once, each answer of a size that fits', () => {
    const run = openedRun(wideShape(1234), {
      approval: { rules: [{ capability: 'none' }] },
      concurrency: 1234,
      lane: 'visible',
      onFailure: 'ask',
    });
    turn(run);
    const long = { ...BROKE, message: '\u{4e2d}'.repeat(5000) };
    for (let node = 0; node < 1234; node++) bring(run, node, { ...long, status: 'failed' });
    const [ids, items, entries]: [string[], string[], number[]] = [[], [], []];
    for (let rest: ViewRequest | undefined = { nodes: { limit: 500 }, ended: 7 }; rest !== undefined;) {
      const page = renderView(run, rest);
      expect(rest.ended).toBe(7);
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2 * 1024 * 1024);
      ids.push(...(page.nodes?.nodes ?? []).map(({ id }) => id));
      for (const item of page.questions ?? []) if ('id' in item) items.push(item.id);
      entries.push(...(page.trace?.entries ?? []).map(({ seq }) => seq));
      rest = page.rest;
    }
    const all = Array.from({ length: 1234 }, (_, node) => `node_${node + 1}`);
    expect(ids).toEqual(all);
    expect(items.toSorted()).toEqual(all.toSorted());
    expect(entries).toEqual(entries.map((_, at) => at + 1));
    expect(entries.length).toBeGreaterThan(1234);
  });

  test.each([{ after: 7 }, { after: 'x' }, { limit: -1 }, { limit: 'x' }, {}])('survive the page %j', (page) => {
    expect(nodesOf(openedRun(PLAN_SHAPE), page).nodes[0]?.id).toBe('node_1');
  });
});
