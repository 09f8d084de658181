/** A standing grant covers runs of one shape within its limits: its compile takes a use, and each effect checks everything again. */

import { expect, test } from 'vitest';
import type { AskRun } from '../../src/activities/gate.ts';
import { UNSEEN_SOURCE } from '../../src/activities/grants/find-grants.ts';
import { DAMAGED_GRANT, listGrants, storeGrant, withdrawGrant } from '../../src/activities/grants/stored-grants.ts';
import { defineCapability } from '../../src/capabilities/index.ts';
import type { ApprovalRule, PlanShape, RunSettings } from '../../src/protocol/index.ts';
import { createKeyPair, publicKeysOf, signMessage } from '../../src/protocol/identity/index.ts';
import type { GrantTerms } from '../../src/protocol/identity/token/index.ts';
import { z } from 'zod';
import { DAY_SECONDS as DAY, giveGrant } from '../support/grants.ts';
import { withOtherSignature } from '../support/receipts.ts';
import { openActivities, WORKFLOW_ID } from './rig.ts';

const PAIRS = { operator: createKeyPair(), deputy: createKeyPair(), stranger: createKeyPair() };
const keys = publicKeysOf({
  keys: {
    operator: { publicKey: PAIRS.operator.publicKey, subject: 'operator', roles: ['safety'] },
    deputy: { publicKey: PAIRS.deputy.publicKey, subject: 'deputy' },
  },
});
const AMOUNT = 'node_1/arguments/amount';
const VARY = { [AMOUNT]: { type: 'number', minimum: 0, maximum: 500 } };
const now = () => Math.floor(Date.now() / 1000);

const payment = (amount: unknown, { to = 'shop', goal = 'Pay' } = {}) => ({
  goal,
  plan: { task: 'Pay the shop', capability: 'pay', arguments: { amount, to } },
});

interface Giving {
  readonly who?: keyof typeof PAIRS;
  readonly role?: string;
  readonly namespace?: string;
  readonly until?: number;
  readonly document?: object;
  readonly terms?: Partial<GrantTerms>;
}

async function opened({
  rules = [],
  version = '1',
  look,
}: { rules?: readonly ApprovalRule[]; version?: string; look?: boolean } = {}) {
  const paid: number[] = [];
  let tokens: readonly string[] = [];
  const askRun: AskRun = (_, works) =>
    Promise.resolve({ words: works.map(() => null), tokens, proofs: works.map(() => [...tokens.keys()]) });
  const pay = (of: string) =>
    defineCapability({
      name: 'pay',
      description: 'Pays.',
      version: of,
      input: z.object({ amount: z.unknown().optional(), to: z.string() }),
      output: 'value',
      effect: 'at-most-once',
      ...(look && {
        // oxlint-disable-next-line unicorn/no-thenable
        look: () => Promise.resolve({ shows: [{ what: 'account', now: '1', then: '2' }], state: 1 }),
      }),
      execute: ({ arguments: { amount } }) => paid.push(amount as number),
    });
  const rootOf = () => Promise.resolve({ workflowId: WORKFLOW_ID });
  const rig = await openActivities([pay(version)], { askRun, keys, policy: { rules }, rootOf });
  const { store } = rig.dependencies;
  const give = ({ who = 'operator', document = payment(10), terms, ...over }: Giving = {}) =>
    giveGrant(rig.dependencies, document, {
      ...{ key: PAIRS[who].privateKey, kid: who === 'stranger' ? 'operator' : who },
      ...{ ...over, terms: { vary: VARY, ...terms } },
    });
  async function compiled(document: unknown, request: object = {}, info: object = {}): Promise<PlanShape> {
    const reply = await rig.call('compilePlan', { source: { document }, ...request }, { info });
    if (!reply.ok) throw new Error(JSON.stringify(reply.issues));
    return rig.shapeOf(reply);
  }
  let attempts = 0;
  /** Attempts the effect, for which the run shows these tokens. */
  async function attempt({ revisionRef }: PlanShape, shown: readonly string[], over: object = {}) {
    tokens = shown;
    const request = { revision: revisionRef, nodeId: 'node_1', inputs: [], work: 7, ...over };
    const reply = await rig.call('runTask', request, { token: `attempt ${(attempts += 1)}` });
    return 'deferred' in reply ? reply.reason : 'begun';
  }
  return { rig, store, paid, give, compiled, attempt };
}
type Opened = Awaited<ReturnType<typeof opened>>;
const tokensOf = ({ grants = [] }: PlanShape) => grants.map(({ token }) => token);

test('a run of the shape takes a use, and its effect begins without a person', async () => {
  const { give, compiled, attempt, paid } = await opened();
  const { id, token } = await give();
  const slice = await compiled(payment(44));
  expect(slice.grants).toEqual([{ id, token, use: 1 }]);
  expect(slice.ungranted).toBeUndefined();
  expect(await attempt(slice, tokensOf(slice))).toBe('begun');
  expect(paid).toEqual([44]);
});

test('no grant covers values whose untrusted source is not in the plan', async () => {
  const { give, compiled, attempt, paid } = await opened();
  const { token } = await give();
  expect(tokensOf(await compiled(payment(44)))).toEqual([token]);
  // The mark stays with the plan, for every later run of it.
  const slice = await compiled(payment(44), { untrusted: 'node_4 (web page)' });
  for (const one of [slice, await compiled(payment(44))]) {
    expect(one).toMatchObject({ ungranted: [UNSEEN_SOURCE] });
    expect(one.grants).toBeUndefined();
  }
  // Nor does it if a run shows it in spite of that.
  expect(await attempt(slice, [token])).toContain(UNSEEN_SOURCE);
  expect(paid).toEqual([]);
});

test('a repeated compile finds the use of its run, and another run takes the next one until none is left', async () => {
  const { give, compiled, store } = await opened();
  const { id } = await give();
  const useOf = async (runId: string) => (await compiled(payment(1), { firstRunId: runId })).grants?.[0]?.use;
  expect([await useOf('first'), await useOf('first'), await useOf('second'), await useOf('first')]).toEqual([
    1, 1, 2, 1,
  ]);
  expect(await compiled(payment(1), { firstRunId: 'third' })).toMatchObject({
    ungranted: [`grant ${id.slice(0, 8)}: all of its 2 uses are taken`],
  });
  const [stored] = await listGrants(store);
  expect([...stored!.uses.keys()]).toEqual([1, 2]);
});

test('of fifty runs at once over twenty uses exactly twenty are covered', async () => {
  const { give, compiled } = await opened();
  await give({ terms: { uses: 20 } });
  const slices = await Promise.all(
    Array.from({ length: 50 }, (_, run) => compiled(payment(run), { firstRunId: `run-${run}` })),
  );
  const uses = slices.flatMap(({ grants = [] }) => grants.map(({ use }) => use));
  expect(uses.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(slices.filter(({ ungranted }) => ungranted?.[0]?.includes('all of its 20 uses')).length).toBe(30);
});

test.each<[string, Giving, unknown, object, RegExp | undefined]>([
  ['a value above its schema', {}, payment(501), {}, /the value of node_1\/arguments\/amount does not fit/],
  ['a value of another type', {}, payment('44'), {}, /does not fit/],
  ['another value that does not vary', {}, payment(44, { to: 'shoq' }), {}, /does not let vary/],
  ['another goal', {}, payment(44, { goal: 'Pax' }), {}, undefined],
  [
    'no such argument',
    {},
    { ...payment(44), plan: { task: 'Pay the shop', capability: 'pay', arguments: { to: 'shop' } } },
    {},
    /the plan has no/,
  ],
  ['other rules', {}, payment(44), { approval: 'effects' }, /other approval rules or another budget/],
  ['another budget', {}, payment(44), { budget: { tokens: 5 } }, /other approval rules or another budget/],
  ['its end', { until: now() - 5 + DAY, terms: {} }, payment(44), {}, /^$/],
  ['another namespace', { namespace: 'staging' }, payment(44), {}, /is for the namespace "staging"/],
  ['another key', { who: 'stranger' }, payment(44), {}, /does not fit the key/],
  ['its beginning', { terms: { from: now() + 60 } }, payment(44), {}, /the grant begins at/],
  ['starters, without a signed start', { terms: { starters: ['deputy'] } }, payment(44), {}, /nobody signed the start/],
])('a grant does not cover %s', async (what, giving, document, request, reason) => {
  const { give, compiled, store } = await opened();
  await give(giving);
  const late = what === 'its end' ? { currentAttemptScheduledTimestampMs: Date.now() + 2 * DAY * 1000 } : {};
  const slice = await compiled(document, request, late);
  expect(slice.grants).toBeUndefined();
  if (what === 'its end') expect(slice.ungranted?.[0]).toMatch(/the grant ended at/);
  else if (reason === undefined) expect(slice.ungranted).toBeUndefined();
  else expect(slice.ungranted?.[0]).toMatch(reason);
  expect((await listGrants(store))[0]!.uses.size).toBe(0);
});

test('a grant of another version, cost or preview does not cover the plan; anyState covers previews', async () => {
  const { give } = await opened({ version: '1' });
  const { token } = await give();
  const other = await opened({ version: '2' });
  const { id } = await other.give();
  // The same frame, another version.
  const [{ frame } = { frame: '' }] = await listGrants(other.store);
  await storeGrant(other.store, frame, token);
  expect((await other.compiled(payment(1))).grants?.map((one) => one.id)).toEqual([id]);
  const looking = await opened({ look: true });
  await looking.give();
  const asked = await looking.compiled(payment(1));
  expect(asked.ungranted?.[0]).toMatch('does not cover node_1, which shows its state');
  await looking.give({ terms: { anyState: true } });
  expect((await looking.compiled(payment(1))).grants).toHaveLength(1);
});

test.each<
  [
    string,
    (on: Opened, slice: PlanShape, token: string) => Promise<readonly [PlanShape, readonly string[], object?]>,
    RegExp,
  ]
>([
  [
    'of which the run has taken no use',
    async ({ give }, slice) => [slice, [(await give({ terms: { uses: 7 } })).token]],
    /has taken none of its uses/,
  ],
  [
    'for another plan of the same run, with another value',
    async ({ rig }, _, token) => {
      const reply = await rig.call('compilePlan', { source: { document: payment(45) } });
      if (!reply.ok) throw new Error('it does not compile');
      // Its own use is the second one; the third plan has none.
      const third = await rig.call('compilePlan', { source: { document: payment(46) } });
      if (!third.ok) throw new Error('it does not compile');
      return [await rig.shapeOf(third), [token]];
    },
    /has taken none of its uses/,
  ],
  [
    'for another plan',
    async ({ compiled }, _, token) => [await compiled(payment(44, { to: 'thief' })), [token]],
    /does not let vary/,
  ],
  ['of which one byte is another one', async (_, slice, token) => [slice, [withOtherSignature(token)]], /./],
  [
    'that was withdrawn since',
    async ({ store }, slice, token) => {
      const [stored] = await listGrants(store);
      expect(await withdrawGrant(store, stored!, 'operator')).toBe(true);
      return [slice, [token]];
    },
    /it was withdrawn/,
  ],
])('an effect does not begin by a grant %s; it is put off, and the run asks', async (_, shown, reason) => {
  const on = await opened();
  const { token } = await on.give();
  const slice = await on.compiled(payment(44));
  const [of, tokens] = await shown(on, slice, token);
  expect(await on.attempt(of, tokens)).toMatch(reason);
  expect(on.paid).toEqual([]);
});

test('under four eyes two grants of two people cover a plan, and one does not', async () => {
  const rules = [{ effect: 'idempotent', count: 2 }] as const;
  const { give, compiled, attempt, paid } = await opened({ rules });
  await give();
  const half = await compiled(payment(1), { firstRunId: 'half' });
  expect(half.grants).toHaveLength(1);
  await give();
  await give({ who: 'deputy' });
  const slice = await compiled(payment(2));
  expect(slice.grants).toHaveLength(2);
  expect(new Set(tokensOf(slice)).size).toBe(2);
  await expect(attempt(slice, tokensOf(slice).slice(0, 1))).rejects.toThrow('the rules of the project ask for more');
  expect(await attempt(slice, tokensOf(slice))).toBe('begun');
  expect(paid).toEqual([2]);
});

test('a grant for starters covers a run that one of them signed with just this plan', async () => {
  const { give, compiled, attempt } = await opened();
  await give({ terms: { starters: ['deputy'] } });
  const document = payment(3);
  const startOf = async (who: 'operator' | 'deputy', options?: RunSettings) => {
    const message = { kind: 'start', plan: document, ...(options && { options }) };
    const token = await signMessage({
      key: PAIRS[who].privateKey,
      kid: who,
      by: who,
      workflowId: WORKFLOW_ID,
      message,
    });
    return { start: token.split('.')[2]!, startToken: token };
  };
  expect((await compiled(document, await startOf('operator'))).ungranted?.[0]).toMatch('operator started this run');
  const mine = await startOf('deputy');
  expect((await compiled(document, { startToken: mine.startToken, firstRunId: 'second' })).grants).toBeUndefined();
  expect((await compiled(payment(4), { ...mine, firstRunId: 'third' })).ungranted?.[0]).toMatch('nobody signed');
  // All options that a compile reads, on either side alone.
  const rules = [{ capability: 'pay' }];
  for (const [at, [signed, sent]] of (
    [
      [{ reuse: 'plan-old' }, {}],
      [{ reuse: 'plan-old', fresh: true }, {}],
      [{ conversation: 'talk' }, {}],
      [{ limits: { nodes: 5 } }, {}],
      [{ context: { day: 'monday' } }, {}],
      [{ budget: { tokens: 5 } }, {}],
      [{ approval: 'effects' }, {}],
      [{ approval: { rules } }, {}],
      [{}, { limits: { nodes: 5 } }],
      [{}, { context: { day: 'monday' } }],
      [{}, { ruleCapabilities: ['pay'] }],
    ] satisfies [RunSettings, object][]
  ).entries()) {
    const reply = await compiled(document, {
      ...(await startOf('deputy', signed)),
      ...sent,
      firstRunId: `option-${at}`,
    });
    expect([signed, sent, reply.ungranted?.[0]]).toEqual([signed, sent, expect.stringContaining('nobody signed')]);
  }
  const limited = { limits: { nodes: 5 } };
  const same = { ...(await startOf('deputy', limited)), ...limited, firstRunId: 'limited' };
  expect((await compiled(document, same)).grants).toHaveLength(1);
  const own = await startOf('deputy');
  const slice = await compiled(document, { ...own, firstRunId: 'first' });
  expect(slice.grants).toHaveLength(1);
  expect(await attempt(slice, tokensOf(slice))).toMatch('nobody signed the start');
  expect(await attempt(slice, [...tokensOf(slice), own.startToken])).toBe('begun');
});

test('without keys, and for a plan about which nobody is asked, the store is not asked for grants', async () => {
  const { rig } = await opened();
  const listed: string[] = [];
  const { store } = rig.dependencies;
  const counting = {
    ...store,
    list: (prefix: string, after?: string) => (listed.push(prefix), store.list(prefix, after)),
  };
  const open = await openActivities([...[]], { keys, store: counting });
  const calculation = {
    goal: 'Add',
    steps: [{ context_key: 'sum', capability: 'calculate', parameters: { expression: '1+1' }, task_objective: 'Add' }],
  };
  await open.call('compilePlan', { source: { document: calculation }, approval: 'effects' });
  expect(listed.filter((prefix) => prefix.startsWith('grants/'))).toEqual([]);
});

test('a grant does not cover an effect that has begun in another run of the same id, whatever the run shows', async () => {
  const { give, compiled, attempt, paid } = await opened();
  const { id } = await give({ terms: { uses: 5 } });
  const first = await compiled(payment(7), { firstRunId: 'first' });
  const second = await compiled(payment(7), { firstRunId: 'second' });
  expect(await attempt(first, tokensOf(first), { firstRunId: 'first' })).toBe('begun');
  const reason = `grant ${id.slice(0, 8)}: it does not cover node_1, which has begun in another run of this id`;
  expect(await attempt(second, tokensOf(second), { firstRunId: 'second' })).toContain(reason);
  expect((await compiled(payment(7), { firstRunId: 'third' })).ungranted?.[0]).toMatch('has begun before');
  const other = await compiled(payment(8), { firstRunId: 'fourth' });
  expect(await attempt(other, tokensOf(other), { firstRunId: 'fourth' })).toBe('begun');
  expect(paid).toEqual([7, 8]);
});

test.each(['grant', 'by', 'use', 'withdrawn'])(
  'a damaged entry "%s" of a grant stops no run of its plan: another grant covers it, or people are asked',
  async (entry) => {
    const { give, compiled, attempt, store, paid } = await opened();
    const { id, frame } = await give();
    const before = await compiled(payment(7), { firstRunId: 'before' });
    if (entry === 'withdrawn') await withdrawGrant(store, (await listGrants(store))[0]!, 'operator');
    const damaged: string[] = [];
    for await (const { key } of store.list(`grants/${frame}/${id}/${entry}`)) damaged.push(key);
    expect(damaged).toHaveLength(1);
    await store.remove(damaged);
    await store.put(damaged[0]!, Buffer.from('damaged'));
    const shown = await attempt(before, tokensOf(before), { firstRunId: 'before' });
    const next = await compiled(payment(8), { firstRunId: 'next' });
    if (entry === 'grant') expect(next.ungranted).toEqual([`grant ${id.slice(0, 8)}: ${DAMAGED_GRANT}`]);
    else if (entry !== 'withdrawn') expect(next.grants?.[0]?.use).toBe(2);
    expect(shown).toMatch(
      { grant: /begun/, by: /begun/, use: /taken none of its uses/, withdrawn: /withdrawn/ }[entry]!,
    );
    expect(paid).toEqual(shown === 'begun' ? [7] : []);
    await give({ who: 'deputy', terms: { uses: 7 } });
    expect((await compiled(payment(9), { firstRunId: 'last' })).grants).toHaveLength(1);
  },
);
