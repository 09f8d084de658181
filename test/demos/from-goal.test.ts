/** What the demos that ask models stand on, without a server: the double, the ledger's proof, and what is scripted. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import type { Filed } from '../../examples/agents/archive.ts';
import { GOAL as FERRIES, NODES as FERRY_NODES } from '../../examples/agents/agents-script.ts';
import { createConfig as createAgents, demo as agents } from '../../examples/agents/index.ts';
import { faultsOfReport } from '../../examples/agents/story/agents-proof.ts';
import { proofOfCalls, type ModelEntry } from '../../examples/from-goal/index.ts';
import { demo as genes } from '../../examples/gene-strategies/index.ts';
import { createConfig as createGenes } from '../../examples/gene-strategies/index.ts';
import { GOAL as EXONS, NODES as EXON_NODES } from '../../examples/gene-strategies/planner-script.ts';
import { type Catalogue } from '../../src/plan/index.ts';
import { compiledPlan } from '../support/plans.ts';

const registryOf = ({ capabilities, agents: own = [], tasks }: ReturnType<typeof createAgents>) =>
  createRegistry(capabilities, {
    agents: own,
    ...(tasks?.default !== undefined && { defaultExecutor: tasks.default }),
  });

describe.each([
  ['gene-strategies', genes.planFile, EXONS, EXON_NODES, registryOf(createGenes())],
  ['agents', agents.planFile, FERRIES, FERRY_NODES, registryOf(createAgents())],
] as const)('%s', (_, planFile, goal, nodes, catalogue) => {
  test('the plan of the scripted planner has the nodes of plan.json, and no other', () => {
    expect(keysOf({ goal, nodes }, catalogue)).toEqual(keysOf(readFileSync(planFile), catalogue));
  });
});

function keysOf(document: unknown, catalogue: Catalogue): readonly string[] {
  const compiled = compiledPlan(document, { catalogue });
  return [...compiled.plan.tasks, ...compiled.plan.combines].map(({ key }) => key).toSorted();
}

const usage = { calls: 1, inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };
const stamp = { at: 'now', pid: 1 };
const asked = (call: string, request: string, pid = 1): ModelEntry => ({
  ...{ ...stamp, pid, what: 'asked', call, request, by: 'researcher', wants: 'step' },
  ...{ goal: '', task: '', capability: '', turn: 1, issues: [] },
});
const answered = (call: string): ModelEntry => ({ ...stamp, what: 'answered', call, did: 'x', usage });

test.each<[string, readonly ModelEntry[], readonly [asked: number, distinct: number, lost: number, faults: number]]>([
  ['nothing', [], [0, 0, 0, 0]],
  ['two requests, bought once', [asked('1', 'a'), answered('1'), asked('2', 'b'), answered('2')], [2, 2, 0, 0]],
  [
    'what was answered is asked again',
    [asked('1', 'a'), answered('1'), asked('2', 'a', 2), answered('2')],
    [2, 1, 0, 1],
  ],
  [
    'what the killed one had not been answered is asked again',
    [asked('1', 'a'), asked('2', 'a', 2), answered('2')],
    [2, 1, 1, 0],
  ],
])('the proof of the model ledger: %s', (_, ledger, [all, distinct, unanswered, faults]) => {
  const proof = proofOfCalls(ledger, { pid: 1 });
  expect(proof).toMatchObject({ asked: all, distinct, unanswered });
  expect(proof.faults).toHaveLength(faults);
});

describe('the ferries', () => {
  const filed = (text: string): Filed => ({ at: 'now', pid: 1, key: 'k', title: 't', text });
  const right =
    'Norholm: 1370 passengers on 151 crossings, 3 called off; Sandvik: 1734 passengers on 162 crossings, 9 called off';

  test.each<[string, readonly Filed[], number]>([
    ['nothing', [], 1],
    ['the right report', [filed(right)], 0],
    ['two of it', [filed(right), filed(right)], 1],
    ['a wrong number', [filed(right.replace('1734', '1735'))], 1],
    ['nothing of both', [filed('Both are fine.')], 2],
  ])('the proof of the archive: %s', (_, reports, faults) => {
    expect(faultsOfReport(reports)).toHaveLength(faults);
  });
});
