import { describe, expect, test } from 'vitest';
import { createRegistry, draftCapabilities, type CapabilityRegistry } from '../../src/capabilities/index.ts';
import { createDrafts, type Drafts } from '../../src/drafts/index.ts';
import { BROKEN_PLAN, given, openStore, planOf } from '../drafts/rig.ts';

interface Agent {
  readonly drafts: Drafts;
  readonly registry: CapabilityRegistry;
  readonly started: string[];
  /** One attempt at a task; the same key again is a repeated attempt. */
  call(name: string, args: object, idempotencyKey?: string): Promise<Record<string, unknown>>;
}

async function agent(): Promise<Agent> {
  const started: string[] = [];
  const drafts = createDrafts(await openStore());
  const startRun = (_document: unknown, workflowId: string) => {
    if (!started.includes(workflowId)) started.push(workflowId);
    return Promise.resolve({ ok: true } as const);
  };
  const registry = createRegistry(draftCapabilities({ drafts, startRun }));
  return {
    drafts,
    registry,
    started,
    async call(name, args, idempotencyKey = `run/${name}/0.0.0`) {
      const capability = registry.capability(name);
      if (capability === undefined) throw new Error(`no capability ${name}`);
      const surroundings = { goal: 'g', task: 't', inputs: [], signal: new AbortController().signal, heartbeat() {} };
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

test('all four are idempotent', async () => {
  const { registry } = await agent();
  for (const name of ['saveArtifact', 'saveDraft', 'requestBuild', 'delegate']) {
    expect(registry.executor('capability', name)).toMatchObject({ effect: 'idempotent' });
  }
});

test('Pathfinder: save_planning_artifact, and a retried attempt saves once', async () => {
  const { call, drafts } = await agent();
  const args = { conversation_id: 'reef', title: 'T', summary_markdown: 's', proposed_strategy_plan: planOf('x') };
  const first = await call('saveArtifact', args);
  expect(await call('saveArtifact', args)).toEqual(first);
  expect(first).toMatchObject({ number: 1, title: 'T' });
  const { entries } = given(await drafts.list('reef', { full: true }));
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
  expect(given(await drafts.list('reef')).total).toBe(2);
});

describe('Pathfinder: request_executor_build', () => {
  test('hands the latest draft off, or the one that is named', async () => {
    const { call, started } = await agent();
    await call('saveDraft', { ...CONVERSATION, plan: planOf('a'), draft: 'mine' }, 'k1');
    await call('saveDraft', { ...CONVERSATION, plan: planOf('b') }, 'k2');
    const latest = await call('requestBuild', { ...CONVERSATION, additional_instructions: 'soon' }, 'k3');
    expect(latest).toMatchObject({ draft: 'delegation_draft', revision: 1, workflowId: started[0] });
    const named = await call('requestBuild', { ...CONVERSATION, delegation_plan_artifact_id: 'mine' }, 'k4');
    expect(named).toMatchObject({ draft: 'mine', revision: 1, workflowId: started[1] });
  });

  test('saves a plan that is given and hands that off, once for all attempts', async () => {
    const { call, drafts, started } = await agent();
    const args = { ...CONVERSATION, delegation_goal: 'Find genes', delegation_plan: planOf('x').plan };
    const first = await call('requestBuild', args);
    expect(await call('requestBuild', args)).toEqual(first);
    expect(started).toEqual([first['workflowId']]);
    expect(given(await drafts.list('reef')).entries.map(({ kind }) => kind)).toEqual(['draft', 'handed-off']);
  });

  test.each<[string, object, string]>([
    ['no draft', {}, 'has no draft'],
    ['a plan with errors', { plan: BROKEN_PLAN }, 'missing-operand at $.plan.right'],
    ['a plan and a revision', { plan: planOf('x'), revision: 1 }, 'not both'],
    ['two names of one field', { plan: planOf('x'), delegation_plan: planOf('x') }, 'under two names'],
  ])('with %s fails and starts nothing', async (_, args, part) => {
    const { call, started } = await agent();
    const attempt = call('requestBuild', { ...CONVERSATION, ...args });
    await expect(attempt).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringContaining(part) as string,
    });
    expect(started).toEqual([]);
  });
});

describe('Pathfinder: delegate_strategy_subtasks', () => {
  test('starts one run of the plan for all attempts at a task', async () => {
    const { call, started } = await agent();
    const first = await call('delegate', planOf('x'), 'k1');
    expect(await call('delegate', { delegation_plan: planOf('x') }, 'k1')).toEqual(first);
    const other = await call('delegate', planOf('x'), 'k2');
    expect(started).toEqual([first['workflowId'], other['workflowId']]);
  });

  test.each<[string, object, string]>([
    ['no plan', { goal: 'g' }, 'missing-plan'],
    ['a plan with errors', BROKEN_PLAN, 'missing-operand at $.plan.right'],
    ['two goals', { goal: 'Another', plan: planOf('x') }, 'give one'],
  ])('with %s fails and starts nothing', async (_, args, part) => {
    const { call, started } = await agent();
    await expect(call('delegate', args)).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringContaining(part) as string,
    });
    expect(started).toEqual([]);
  });
});

test('an argument that nobody knows is refused when the plan is compiled', async () => {
  const { registry } = await agent();
  const executor = registry.executor('capability', 'saveDraft');
  if (executor === undefined) throw new Error('no executor');
  const problems = registry.checkArguments(executor, { conversation: 'c', plan: {}, gaol: 'g' });
  expect(problems.map(({ message }) => message).join()).toContain('gaol');
});

describe('what an agent plans is held to the limits of models', () => {
  const chain = (levels: number): object =>
    levels === 1 ? { task: 'A' } : { task: String(levels), input: chain(levels - 1) };
  const deep = { goal: 'g', plan: chain(65) };

  test('by delegate', async () => {
    const { call, started } = await agent();
    await expect(call('delegate', { goal: 'g', plan: deep.plan })).rejects.toThrow(/too-deep/);
    expect(started).toEqual([]);
    await call('delegate', { goal: 'g', plan: chain(64) });
    expect(started).toHaveLength(1);
  });

  test('by saveDraft, and by requestBuild of what it saved', async () => {
    const { call, started } = await agent();
    expect(await call('saveDraft', { ...CONVERSATION, plan: deep })).toMatchObject({ issues: [{ code: 'too-deep' }] });
    await expect(call('requestBuild', CONVERSATION)).rejects.toThrow(/too-deep/);
    expect(started).toEqual([]);
  });

  test('by requestBuild of a plan, and of a draft that a person saved', async () => {
    const { call, drafts, started } = await agent();
    await expect(call('requestBuild', { ...CONVERSATION, plan: deep })).rejects.toThrow(/too-deep/);
    expect(given(await drafts.saveDraft('wide', { plan: deep })).entry.errors).toBe(0);
    await expect(call('requestBuild', { conversation: 'wide' })).rejects.toThrow(/too-deep/);
    expect(started).toEqual([]);
  });
});
