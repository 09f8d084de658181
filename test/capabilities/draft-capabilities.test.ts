import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createRegistry,
  draftCapabilities,
  type CapabilityRegistry,
  type DraftCapabilityOptions,
} from '../../src/capabilities/builtin/index.ts';
import { createDrafts, type Drafts } from '../../src/capabilities/builtin/drafts/index.ts';
import type { WorkCapability } from '../../src/capabilities/index.ts';
import { planResource } from '../../src/store/index.ts';
import { BROKEN_PLAN, openStore, planOf } from './drafts/rig.ts';

interface Agent {
  readonly drafts: Drafts;
  readonly registry: CapabilityRegistry;
  readonly started: string[];
  readonly beats: unknown[];
  /** One attempt at a task; the same key again is a repeated attempt. */
  call(name: string, args: object, idempotencyKey?: string): Promise<Record<string, unknown>>;
}

async function agent(more: Partial<DraftCapabilityOptions> = {}): Promise<Agent> {
  const started: string[] = [];
  const beats: unknown[] = [];
  const drafts = createDrafts(await openStore());
  const startRun = (_document: unknown, once: string) => {
    const workflowId = `plan-${once}`;
    if (!started.includes(workflowId)) started.push(workflowId);
    return Promise.resolve({ ok: true, run: { workflowId } } as const);
  };
  const registry = createRegistry(draftCapabilities({ drafts, startRun, ...more }));
  return {
    drafts,
    registry,
    started,
    beats,
    async call(name, args, idempotencyKey = `run/${name}/0.0.0`) {
      const capability = registry.capability(name);
      if (capability === undefined) throw new Error(`no capability ${name}`);
      const surroundings = {
        goal: 'g',
        task: 't',
        inputs: [],
        signal: new AbortController().signal,
        heartbeat: (beat: unknown) => void beats.push(beat),
      };
      const value = await capability.execute({
        ...surroundings,
        arguments: capability.input.parse(args),
        idempotencyKey,
      });
      return value as unknown as Record<string, unknown>;
    },
  };
}

const CONVERSATION = { conversation: 'reef' };

test('Pathfinder: drafts: saving asks nobody, as reading; what starts a run is idempotent; all have a guide', async () => {
  const { registry } = await agent();
  const own = registry.all.filter(({ guide }) => guide !== undefined);
  expect(own.map(({ name, effect }) => `${name} ${effect}`)).toEqual([
    ...['saveArtifact', 'saveDraft'].map((name) => `${name} read`),
    ...['requestBuild', 'delegate'].map((name) => `${name} idempotent`),
    ...['listEntries', 'getEntry'].map((name) => `${name} read`),
  ]);
});

test('delegate waits for the results of its run where it can, for as long as an approval may take', async () => {
  const asked: string[] = [];
  const resultsOf = async (workflowId: string) => {
    asked.push(workflowId);
    return { outcome: 'done', results: { result: ['g1'] } };
  };
  const { call, registry, beats } = await agent({ resultsOf });
  const value = await call('delegate', { goal: 'Find genes', plan: { task: 'Search' } });
  expect(value).toMatchObject({ workflowId: asked[0], outcome: 'done', results: { result: ['g1'] } });
  expect(beats).toEqual([{ waitsForRun: asked[0] }]);
  expect(registry.capability('delegate')?.timeout).toEqual({
    startToCloseMs: 86_400_000,
  });
  const without = await (await agent()).call('delegate', { goal: 'Find genes', plan: { task: 'Search' } });
  expect(Object.keys(without)).toEqual(['workflowId', 'digest']);
});

test('Pathfinder: save_planning_artifact, and a retried attempt saves once', async () => {
  const { call, drafts } = await agent();
  const args = { conversation_id: 'reef', title: 'T', summary_markdown: 's', proposed_strategy_plan: planOf('x') };
  const first = await call('saveArtifact', args);
  expect(await call('saveArtifact', args)).toEqual(first);
  expect(first).toMatchObject({ number: 1, title: 'T' });
  const { entries } = await drafts.list('reef', { full: true });
  expect(entries).toMatchObject([{ id: first['id'], summary: 's', proposedPlan: planOf('x') }]);
});

test('Pathfinder: save_delegation_plan_draft tells the issues, and a retried attempt saves once', async () => {
  const { call, drafts } = await agent();
  const args = { ...CONVERSATION, delegation_plan: BROKEN_PLAN, notes_markdown: 'n' };
  const first = await call('saveDraft', args);
  expect(await call('saveDraft', args)).toEqual(first);
  expect(first).toMatchObject({ id: 'delegation_draft', revision: 1, issues: [{ code: 'missing-operand' }] });
  expect(await call('saveDraft', { ...args, base: 1 }, 'another')).toMatchObject({ revision: 2 });
  await expect(call('saveDraft', { ...args, base: 1 }, 'a third')).rejects.toMatchObject({ errorClass: 'REPLANNING' });
  expect((await drafts.list('reef')).total).toBe(2);
});

test('Pathfinder: request_executor_build hands the latest draft off, or the one that is named', async () => {
  const { call, started } = await agent();
  await call('saveDraft', { ...CONVERSATION, plan: planOf('a'), draft: 'mine' }, 'k1');
  await call('saveDraft', { ...CONVERSATION, plan: planOf('b') }, 'k2');
  const latest = await call('requestBuild', { ...CONVERSATION, additional_instructions: 'soon' }, 'k3');
  expect(latest).toMatchObject({ draft: 'delegation_draft', revision: 1, workflowId: started[0] });
  const named = await call('requestBuild', { ...CONVERSATION, delegation_plan_artifact_id: 'mine' }, 'k4');
  expect(named).toMatchObject({ draft: 'mine', revision: 1, workflowId: started[1] });
});

test('Pathfinder: delegate_strategy_subtasks starts one run of the plan for all attempts at a task', async () => {
  const { call, started } = await agent();
  const first = await call('delegate', planOf('x'), 'k1');
  expect(await call('delegate', { delegation_plan: planOf('x') }, 'k1')).toEqual(first);
  const other = await call('delegate', planOf('x'), 'k2');
  expect(started).toEqual([first['workflowId'], other['workflowId']]);
});

test('Pathfinder: list_saved_planning_artifacts gives heads in order, the last 50 of a kind or of all, and counts the others', async () => {
  const { call } = await agent();
  await call('saveArtifact', { ...CONVERSATION, title: 'T', summary: 's' }, 'k1');
  await call('saveDraft', { ...CONVERSATION, plan: BROKEN_PLAN, by: 'planner' }, 'k2');
  await call('saveDraft', { ...CONVERSATION, plan: planOf('x') }, 'k3');
  await call('requestBuild', CONVERSATION, 'k4');
  const all = await call('listEntries', { conversation_id: 'reef' });
  expect(all).toMatchObject({
    total: 4,
    entries: [
      { number: 1, kind: 'artifact', title: 'T' },
      { number: 2, kind: 'draft', id: 'delegation_draft', revision: 1, errors: 1, by: 'planner' },
      { number: 3, kind: 'draft', revision: 2, errors: 0 },
      { number: 4, kind: 'handed-off', draft: 'delegation_draft', revision: 2 },
    ],
  });
  expect(JSON.stringify(all)).not.toMatch(/"summary"|"plan"|"conversation"/);
  const drafts = await call('listEntries', { ...CONVERSATION, kind: 'draft', limit: 1 });
  expect(drafts).toMatchObject({ total: 2, entries: [{ number: 3 }] });
  expect(drafts['entries']).toHaveLength(1);
});

describe('Pathfinder: get_saved_planning_artifact', () => {
  test('gives an artifact, a revision of a draft or a hand-off, with its contents', async () => {
    const { call } = await agent();
    const artifact = await call(
      'saveArtifact',
      { ...CONVERSATION, title: 'T', summary: 's', assumptions: ['hg19'] },
      'k1',
    );
    await call('saveDraft', { ...CONVERSATION, plan: planOf('a'), notes: 'n' }, 'k2');
    await call('saveDraft', { ...CONVERSATION, plan: planOf('b') }, 'k3');
    const { workflowId } = await call('requestBuild', { ...CONVERSATION, instructions: 'soon' }, 'k4');
    const get = (args: object) => call('getEntry', { ...CONVERSATION, ...args });
    expect(await get({ artifact_id: artifact['id'] })).toMatchObject({
      title: 'T',
      summary: 's',
      assumptions: ['hg19'],
    });
    expect(await get({ id: 'delegation_draft', revision: 1 })).toMatchObject({
      plan: planOf('a'),
      notes: 'n',
      issues: [],
    });
    expect(await get({ id: 'delegation_draft' })).toMatchObject({ plan: planOf('b'), revision: 2 });
    expect(await get({ id: workflowId })).toMatchObject({ kind: 'handed-off', instructions: 'soon' });
    expect(await get({ id: workflowId })).not.toHaveProperty('conversation');
  });

  test.each<[string, object, string]>([
    ['an id that is not there', { id: 'plan_000000000000' }, 'has no artifact "plan_000000000000"'],
    ['a revision that is not there', { id: 'delegation_draft', revision: 7 }, 'has revisions 1 to 1'],
    [
      'a conversation that is not there',
      { conversation: 'never', id: 'x' },
      'Conversation "never" has no artifact "x"',
    ],
    ['no id', {}, 'id: expected'],
  ])('with %s fails, and says what there is', async (_, args, part) => {
    const { call } = await agent();
    await call('saveDraft', { ...CONVERSATION, plan: planOf('a') }, 'k1');
    await expect(call('getEntry', { ...CONVERSATION, ...args })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringContaining(part) as string,
    });
  });
});

test.each<[args: object, says: string]>([
  [{ conversation: 'c', plan: {}, gaol: 'g' }, 'gaol'],
  [{ conversation: 'c', plan: {}, delegation_plan: {} }, 'two names of one field, plan'],
])('arguments %j are refused when the plan is compiled', async (args, says) => {
  const { registry } = await agent();
  const executor = registry.executor('capability', 'saveDraft');
  if (executor === undefined) throw new Error('no executor');
  const problems = registry.checkArguments(executor, args as never);
  expect(problems.map(({ message }) => message).join()).toContain(says);
});

test('a document that was saved is found again in every form in which a run may be started with it', async () => {
  const { registry } = await agent();
  const { input, writesResources } = registry.capability('saveDraft') as WorkCapability;
  const leftBy = (plan: unknown) => writesResources?.(input.parse({ ...CONVERSATION, plan }));
  const json = JSON.stringify(planOf('a'));
  const left = ['conversation:reef', planResource(planOf('a'))];
  for (const plan of [planOf('a'), json, `\uFEFF${json}\n`]) expect(leftBy(plan)).toEqual(left);
  for (const sent of [Buffer.from(json), ` ${json}`]) expect(planResource(sent)).toBe(left[1]);
  expect(leftBy('goal: a')).toEqual([left[0], planResource(Buffer.from('goal: a\n'))]);
  expect(leftBy('')).toEqual([left[0]]);
});

test('models are told of the fields by our names alone', async () => {
  const { registry } = await agent();
  const { input } = registry.capability('getEntry')!;
  const { properties } = z.toJSONSchema(input, { io: 'input' });
  expect(Object.keys(properties ?? {})).toEqual(['conversation', 'id', 'revision']);
});

describe('what an agent plans is held to the limits of models', () => {
  const chain = (levels: number): object =>
    levels === 1 ? { task: 'A' } : { task: String(levels), input: chain(levels - 1) };
  const deep = { goal: 'g', plan: chain(65) };

  test('by saveDraft, and by requestBuild of what it saved', async () => {
    const { call, started } = await agent();
    expect(await call('saveDraft', { ...CONVERSATION, plan: deep })).toMatchObject({ issues: [{ code: 'too-deep' }] });
    await expect(call('requestBuild', CONVERSATION)).rejects.toThrow(/too-deep/);
    expect(started).toEqual([]);
  });
});
