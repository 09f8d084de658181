/** A yes holds for what was shown and for nothing else: whatever of a project or a plan is changed, it is not taken for the other. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../../src/capabilities/builtin/index.ts';
import { defineAgent, defineCapability, type Agent, type WorkCapability } from '../../../src/capabilities/index.ts';
import { mayRun } from '../../../src/workflows/approval/coverage.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import { openEditedPlan } from '../../../src/workflows/run/talk/carry-over.ts';
import type { Verify } from '../../../src/workflows/run/talk/authenticate.ts';
import type { ProjectPolicy, Reply, RunOptions, PlanShape } from '../../../src/protocol/index.ts';
import { createKeyPair, publicKeysOf, signMessage } from '../../../src/protocol/identity/index.ts';
import { verifyToken } from '../../../src/protocol/identity/token/index.ts';
import { approvedExecutor } from '../../../src/activities/execute-node.ts';
import { revisionOf } from '../../../src/activities/revision.ts';
import { sameNodes } from '../../../src/activities/same-nodes.ts';
import { planShapeOf } from '../../../src/activities/plan-shape.ts';
import { AT, openedRun, say, turn, underWay } from '../run/make-run.ts';
import { compiledPlan } from '../../support/plans.ts';

const RUNS = { seed: 20_261, numRuns: 200 };
const pairs = { operator: createKeyPair(), deputy: createKeyPair() };
const keys = publicKeysOf({
  keys: {
    operator: { publicKey: pairs.operator.publicKey, subject: 'operator' },
    deputy: { publicKey: pairs.deputy.publicKey, subject: 'deputy' },
  },
});
const SIGNED: ProjectPolicy = { inbox: false, keys };
const verify: Verify = (token, about) => verifyToken(token, about);

const tool = (name: string): WorkCapability =>
  defineCapability({
    ...{ name, description: 'Does it.', input: z.looseObject({}), output: 'value', effect: 'at-most-once' },
    execute: () => 0,
  });

interface Step {
  readonly by: 'pay' | 'writer';
  readonly amount: number;
  /** It takes what the step before gives. */
  readonly takes: boolean;
  readonly reads: boolean;
}

/** A project with a plan. */
interface Setting {
  readonly goal: string;
  readonly account: unknown;
  readonly steps: readonly Step[];
  readonly pay: WorkCapability;
  readonly agent: Agent;
  /** Over what the step at this place says. */
  readonly over?: { readonly at: number; readonly step: object };
}

const text = fc.string({ minLength: 1, maxLength: 20 }).filter((one) => one.trim() !== '');
const value = fc.jsonValue({ maxDepth: 2 }).map((one): unknown => JSON.parse(JSON.stringify(one)));
const whole = fc.integer({ min: 1, max: 1000 });
const by = fc.constantFrom<Step['by']>('pay', 'writer');
const step = fc.record({ by, amount: whole, takes: fc.boolean(), reads: fc.boolean() });

const setting: fc.Arbitrary<Setting> = fc
  .record({
    ...{ goal: text, account: value, instructions: text, model: text, temperature: fc.constantFrom(0, 0.5, null) },
    ...{ maxTokens: whole, rounds: whole, attempts: whole, attemptMs: whole, steps: fc.array(step, { maxLength: 4 }) },
    ...{ first: step, second: step },
  })
  .map(({ goal, account, steps, first, second, ...of }) => ({
    ...{ goal, account, pay: tool('pay') },
    // Each of the two, and the value from outside, is used by a step at least.
    steps: [{ ...first, by: 'pay', reads: true }, { ...second, by: 'writer' }, ...steps],
    agent: defineAgent({
      ...{ name: 'writer', description: 'Writes.', instructions: of.instructions },
      model: { name: of.model, temperature: of.temperature, maxTokens: of.maxTokens },
      capabilities: [tool('look'), tool('type')],
      limits: { rounds: of.rounds, attempts: of.attempts, attemptMs: of.attemptMs },
    }),
  }));

/** The steps that a change is about, by their places; what takes their results is changed by that. */
type Of = (setting: Setting, at: number) => readonly number[];
type Change = { readonly of: Of; readonly to: (setting: Setting, at: number) => Setting };

const all: Of = ({ steps }) => [...steps.keys()];
const one: Of = (_, at) => [at];
const places =
  (is: (step: Step) => boolean): Of =>
  ({ steps }) =>
    [...steps.keys()].filter((at) => is(steps[at]!));
const inStep = (to: (step: Step, at: number) => object): Change => ({
  of: one,
  to: (before, at) => ({ ...before, over: { at, step: to(before.steps[at]!, at) } }),
});
const ofPay = (over: Partial<WorkCapability>): Change => ({
  of: places((some) => some.by === 'pay'),
  to: (before) => ({ ...before, pay: { ...before.pay, ...over } }),
});
const ofAgent = (to: (agent: Agent) => Partial<Agent>): Change => ({
  of: places((some) => some.by === 'writer'),
  to: (before) => ({ ...before, agent: { ...before.agent, ...to(before.agent) } }),
});
const ofTool = (to: Partial<WorkCapability>): Change =>
  ofAgent(({ capabilities: [first, ...rest] }) => ({
    capabilities: [{ ...first!, ...to } as WorkCapability, ...rest],
  }));
const ofModel = (to: (model: NonNullable<Agent['model']>) => object): Change =>
  ofAgent(({ model = {} }) => ({ model: { ...model, ...to(model) } }));
const ofLimit = (name: keyof Agent['limits']): Change =>
  ofAgent(({ limits }) => ({ limits: { ...limits, [name]: limits[name] + 1 } }));

/** What the digest of a plan binds. */
const IN_PLAN: Readonly<Record<string, Change>> = {
  goal: { of: all, to: (before) => ({ ...before, goal: `${before.goal}x` }) },
  'external value': {
    of: places(({ reads }) => reads),
    to: (before) => ({ ...before, account: [before.account] }),
  },
  task: inStep((_, at) => ({ task_objective: `Do other ${at}` })),
  arguments: inStep(({ amount }) => ({ parameters: { amount: amount + 1 } })),
  'an argument more': inStep(({ amount }) => ({ parameters: { amount, more: null } })),
  'key of the result': inStep((_, at) => ({ context_key: `other${at}` })),
  'an input more': inStep(() => ({ inputs: [{ OTHER: 'account' }] })),
  'expected output': inStep(() => ({ expected_output: 'OTHER' })),
  criteria: inStep(() => ({ success_criteria: 'Other' })),
};

/** What the version in the label of its executor binds. */
const IN_PROJECT: Readonly<Record<string, Change>> = {
  'version of a capability': ofPay({ version: '2' }),
  'effect of a capability': ofPay({ effect: 'idempotent' }),
  'goal kept from a capability': ofPay({ usesGoal: false }),
  instructions: ofAgent(({ instructions }) => ({ instructions: `${instructions}x` })),
  model: ofModel(({ name }) => ({ name: `${name}x` })),
  temperature: ofModel(() => ({ temperature: 1 })),
  'length of replies': ofModel(({ maxTokens = 1 }) => ({ maxTokens: maxTokens + 1 })),
  rounds: ofLimit('rounds'),
  attempts: ofLimit('attempts'),
  'time of a model call': ofLimit('attemptMs'),
  budget: ofAgent(() => ({ budget: { steps: 1 } })),
  'a capability more': ofAgent(({ capabilities }) => ({ capabilities: [...capabilities, tool('pay')] })),
  'a capability less': ofAgent(({ capabilities }) => ({ capabilities: capabilities.slice(1) })),
  "version of an agent's capability": ofTool({ version: '2' }),
  "effect of an agent's capability": ofTool({ effect: 'read' }),
};

function compiled({ goal, account, steps, pay, agent, over }: Setting) {
  const document = {
    goal,
    steps: steps.map(({ by: name, amount, takes, reads }, at) => ({
      ...(name === 'pay' ? { capability: name } : { agent: name }),
      ...{ context_key: `key${at}`, task_objective: `Do ${at}`, parameters: { amount } },
      inputs: [...(reads ? [{ ACCOUNT: 'account' }] : []), ...(takes && at > 0 ? [{ GIVEN: keyAt(at - 1) }] : [])],
      ...(over?.at === at && over.step),
    })),
  };
  // The tools of an agent belong to its project, under one name once.
  const own = agent.capabilities.map((some) => (some.name === 'pay' ? pay : some));
  const registry = createRegistry([pay], { agents: [{ ...agent, capabilities: own }] });
  const result = compiledPlan(document, { catalogue: registry, context: { account } });
  const { plan, executors = {} } = result;
  const planShape: PlanShape = { ...planShapeOf(plan, executors, registry, { account }), revisionRef: 'rev' };
  const { digest, executorOf: labelOf } = planShape;
  const revision = revisionOf(plan, { digest, labels: planShape.executors.map(({ label }) => label), labelOf });
  return { plan, planShape, registry, revision };

  function keyAt(at: number): string {
    const key = over?.at === at && (over.step as { context_key?: string }).context_key;
    return key || `key${at}`;
  }
}

/** The nodes that a change is about, and those that take something of them; reckoned from the steps alone. */
function changedIn({ of }: Change, before: Setting, at: number, slices: readonly PlanShape[]): readonly number[] {
  const changed = new Set(of(before, at));
  // The answer that the compiler adds to a list is told its goal.
  if (of === all) changed.add(before.steps.length);
  for (const { inputs } of slices) {
    inputs.forEach((taken, node) => taken.some((input) => changed.has(input)) && changed.add(node));
  }
  return [...changed].toSorted((a, b) => a - b);
}

const changes = (among: Readonly<Record<string, Change>>) =>
  fc.record({ before: setting, name: fc.constantFrom(...Object.keys(among)), place: fc.nat({ max: 5 }) });

const approvalOf = (planShape: PlanShape, over: object = {}) => ({
  kind: 'approve',
  digest: planShape.digest,
  ...over,
});
const unsigned = { by: 'operator' };
const TWO = { approval: { rules: [{ count: 2 }] } };

const mayNodes = ({ state: { approval } }: Run, { digest, inputs }: PlanShape) =>
  [...inputs.keys()].filter((node) => mayRun({ digest, node }, approval).ok);

const HERE = { workflowId: 'plan-1', firstRunId: 'first' };
const signed = (message: object, who: keyof typeof pairs = 'operator', run: object = {}) =>
  signMessage({
    ...{ key: pairs[who].privateKey, kid: who, by: who, now: new Date(AT), ...HERE, ...run },
    message: message as Record<string, unknown>,
  });
const openedSigned = (planShape: PlanShape, options: Partial<RunOptions> = {}) => {
  const run = openedRun(planShape, options, SIGNED);
  run.state.firstRunId = HERE.firstRunId;
  return run;
};
const hear = (run: Run, token: string): Reply => {
  const id = receive(run, { name: 'decide', payload: { token }, at: AT });
  return turn(run, AT, { verify }).replies.find(({ message }) => message === id)!.reply;
};

test('whatever an effect reads of a plan is in its digest, and a yes for one is refused while the other is open', async () => {
  await fc.assert(
    fc.asyncProperty(changes(IN_PLAN), async ({ before, name, place }) => {
      const change = IN_PLAN[name]!;
      const [shown, open] = [compiled(before), compiled(change.to(before, place % before.steps.length))];
      expect(open.planShape.digest).not.toBe(shown.planShape.digest);
      const stale = { ok: false, refusal: 'stale-digest' };
      const run = openedRun(open.planShape, TWO);
      expect(say(run, 'decide', { ...approvalOf(shown.planShape), ...unsigned })).toMatchObject(stale);
      const short = { digest: shown.planShape.digest.slice(0, 8), ...unsigned };
      expect(say(run, 'approve', short)).toMatchObject(stale);
      expect(say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], ...short })).toMatchObject(stale);
      const withKeys = openedSigned(open.planShape);
      expect(hear(withKeys, await signed(approvalOf(shown.planShape)))).toMatchObject(stale);
      for (const asked of [run, withKeys]) {
        expect([mayNodes(asked, open.planShape), underWay(asked), asked.state.approval.consents]).toEqual([[], [], []]);
      }
    }),
    RUNS,
  );
});

test('a yes for what a version binds holds for no other version', () => {
  fc.assert(
    fc.property(changes(IN_PROJECT), ({ before, name, place }) => {
      const change = IN_PROJECT[name]!;
      const at = place % before.steps.length;
      const [shown, other] = [compiled(before), compiled(change.to(before, at))];
      for (const node of change.of(before, at)) {
        const task = shown.plan.tasks[node]!;
        const approved = shown.revision.executorOf(task.id);
        expect(other.revision.executorOf(task.id)).not.toBe(approved);
        expect(() => approvedExecutor(task, approved, other.registry)).toThrow(
          expect.objectContaining({ type: 'CapabilityChanged' }),
        );
      }
    }),
    RUNS,
  );
});

test('a yes is carried over to a plan in the place of the one that was shown for what is the same in both, by replay too', async () => {
  const among = { ...IN_PLAN, ...IN_PROJECT };
  await fc.assert(
    fc.asyncProperty(changes(among), async ({ before, name, place }) => {
      const change = among[name]!;
      const at = place % before.steps.length;
      const [shown, next] = [compiled(before), compiled(change.to(before, at))];
      const changed = changedIn(change, before, at, [shown.planShape, next.planShape]);
      const same = [...next.planShape.inputs.keys()].filter((node) => !changed.includes(node));
      const sameAs = sameNodes(next.revision, shown.revision);
      const run = openedSigned(shown.planShape, TWO);
      const [first, late] = await Promise.all([
        signed(approvalOf(shown.planShape)),
        signed(approvalOf(shown.planShape)),
      ]);
      const heard = hear(run, first);
      expect(heard).toMatchObject({ ok: true });
      openEditedPlan(run, { planShape: next.planShape, sameAs }, { approval: run.state.approval }, AT);
      const { consents } = run.state.approval;
      const held = consents.flatMap(({ nodes }) =>
        Object.keys(nodes === 'all' ? next.planShape.inputs : nodes).map(Number),
      );
      expect(held.toSorted((a, b) => a - b)).toEqual(same);
      // Said again it is answered as before; said anew, of a plan with another digest, it is refused.
      expect(hear(run, first)).toEqual(heard);
      if (name in IN_PLAN) expect(hear(run, late)).toMatchObject({ refusal: 'stale-digest' });
      expect([run.state.approval.consents, mayNodes(run, next.planShape)]).toEqual([consents, []]);
      // The second of two people has seen the plan that is open: what they approve together is what is the same in both.
      expect(hear(run, await signed(approvalOf(next.planShape), 'deputy'))).toMatchObject({ ok: true });
      // Of plain reads the first was not to be asked again.
      const isRead = (node: number) => next.planShape.executors[next.planShape.executorOf[node]!]?.effect === 'read';
      expect(mayNodes(run, next.planShape).filter((node) => !isRead(node))).toEqual(
        same.filter((node) => !isRead(node)),
      );
      if (name in IN_PLAN) expect(mayNodes(run, shown.planShape)).toEqual([]);
    }),
    RUNS,
  );
});

test.each([
  ['another run', { workflowId: 'plan-2' }],
  ['a later run of the same id', { firstRunId: 'second' }],
])('a signed yes for %s is none, also of the same plan', async (_, other) => {
  await fc.assert(
    fc.asyncProperty(setting, async (of) => {
      const { planShape } = compiled(of);
      const run = openedSigned(planShape);
      expect(hear(run, await signed(approvalOf(planShape), 'operator', other))).toMatchObject({
        refusal: 'not-verified',
      });
      expect(mayNodes(run, planShape)).toEqual([]);
      expect(hear(run, await signed(approvalOf(planShape)))).toMatchObject({ ok: true });
    }),
    { ...RUNS, numRuns: 50 },
  );
});
