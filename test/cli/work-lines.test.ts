/** What a run is at beside its nodes, and what models have cost, in words. */

import { describe, expect, test } from 'vitest';
import { usageText, workLines } from '../../src/operations/words/index.ts';
import { usageReport } from '../../src/cli/usage-report.ts';
import type { Usage } from '../../src/protocol/index.ts';
import { status } from '../client/follow/fake-run.ts';

type Shown = Parameters<typeof workLines>[0];

test.each<[name: string, shown: Shown, lines: readonly string[]]>([
  ['a plan of a person', {}, []],
  ['before a plan is begun', { planning: { stage: 'extract', plan: 0, call: 0 } }, ['planning: extract']],
  [
    'a plan that is written again',
    { planning: { stage: 'write', plan: 1, call: 2, trouble: 'no\nsuch agent' } },
    ['planning: write, plan 1, call 2; the last was wrong: no such agent'],
  ],
  ['a fallback', { fallback: true }, ['a fallback plan: no model has made a valid one']],
  ['a decision', { loop: { round: 2, maxRounds: 9 } }, ['round 2 of at most 9: the next step is decided']],
  ['a loop that is over', { phase: 'closed', loop: { round: 2, maxRounds: 9 } }, ['round 2 of at most 9']],
  ['a step', { loop: { round: 2, maxRounds: 9, step: 'look' } }, ['round 2 of at most 9: look']],
  [
    'agents',
    {
      children: [
        { node: 'node_1', workflowId: 'r.node_1', waitingFor: 2 },
        { node: 'node_2', workflowId: 'r.node_2', waitingFor: 0 },
        { node: 'node_3', workflowId: 'r.node_3', waitingFor: 1, waits: 'waits for the store' },
      ],
    },
    [
      'agent of node_1: run r.node_1, waits for a person (2)',
      'agent of node_2: run r.node_2',
      'agent of node_3: run r.node_3, waits for a person (1), waits for the store',
    ],
  ],
])('%s', (_name, shown, lines) => {
  expect(workLines(shown)).toEqual(lines);
});

test('agents that are too many to name are counted', () => {
  const children = Array.from({ length: 11 }, (_, at) => ({
    node: `node_${at}`,
    workflowId: `r.${at}`,
    waitingFor: 0,
  }));
  expect(workLines({ children }).at(-1)).toBe('and 3 more agents');
});

const usage: Usage = { calls: 1, inputTokens: 1200, cachedInputTokens: 0, outputTokens: 30, cost: 0.25 };

describe('what models have cost', () => {
  test.each<[Usage, string]>([
    [usage, '1 model call, 1,200 tokens read, 30 written, cost 0.25'],
    [
      { ...usage, calls: 3, cachedInputTokens: 1000 },
      '3 model calls, 1,200 tokens read (1,000 of them cached), 30 written, cost 0.25',
    ],
    [{ ...usage, cost: 0 }, '1 model call, 1,200 tokens read, 30 written, cost 0'],
    [{ ...usage, cost: 0.1 + 0.2 }, '1 model call, 1,200 tokens read, 30 written, cost 0.3'],
  ])('%j', (used, text) => {
    expect(usageText(used)).toBe(text);
  });

  test('a cost without a price is not known, and not 0', () => {
    const { cost: _, ...unpriced } = usage;
    expect(usageText(unpriced)).toContain('cost not known');
    const agents = [{ node: 'node_1', workflowId: 'run.c.node_1', status: status({ usage: unpriced }) }];
    expect(usageReport('run', { status: status({ usage }), agents })?.total.cost).toBeUndefined();
  });

  test('is told by node, and by plan where an agent began under a later one', () => {
    const agents = [
      { node: 'node_2', workflowId: 'run.c.node_2', status: status({ usage }) },
      { node: 'node_2', workflowId: 'run.c.r2.node_2', status: status({ usage }) },
      { node: 'node_3', workflowId: 'run.c.node_3', status: status({}) },
    ];
    expect(usageReport('run', { status: status({ usage }), agents })).toEqual({
      total: { ...usage, calls: 3, inputTokens: 3600, outputTokens: 90, cost: 0.75 },
      run: usage,
      nodes: { node_2: usage, 'r2.node_2': usage },
    });
  });

  test('is nothing where no model was asked', () => {
    expect(usageReport('run', { status: status({}), agents: [] })).toBeUndefined();
  });
});
