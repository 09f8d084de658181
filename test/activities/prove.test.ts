/** A worker with keys lets no effect begin that nobody signed, whatever the run, or who poses as it, says. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AskRun } from '../../src/activities/gate.ts';
import type { ApprovalRule, NodeRequest } from '../../src/protocol/index.ts';
import { figureOf, shownHash } from '../../src/protocol/identity/token/figures.ts';
import { createKeyPair, publicKeysOf, signMessage } from '../../src/protocol/identity/index.ts';
import { writes } from '../support/capabilities.ts';
import { failureOf, openActivities, WORKFLOW_ID } from './rig.ts';

const [operator, deputy, stranger] = [createKeyPair(), createKeyPair(), createKeyPair()];
const keys = publicKeysOf({
  keys: {
    operator: { publicKey: operator.publicKey, subject: 'operator', roles: ['safety'] },
    deputy: { publicKey: deputy.publicKey, subject: 'deputy', person: true },
  },
});
const PAIRS = { operator, deputy, stranger };

interface Signing {
  readonly who?: keyof typeof PAIRS;
  readonly as?: string;
  readonly role?: string;
  readonly workflowId?: string;
  readonly namespace?: string;
  readonly firstRunId?: string;
  readonly now?: Date;
}
const sign = (message: object, { who = 'operator', as = who, ...over }: Signing = {}) =>
  signMessage({
    key: PAIRS[who].privateKey,
    kid: who === 'stranger' ? 'operator' : who,
    by: as,
    workflowId: WORKFLOW_ID,
    firstRunId: 'first',
    message: message as Record<string, unknown>,
    ...over,
  });

const plan = (goal: string, ...values: string[]) => ({
  goal,
  steps: values.map((value, i) => ({ step_id: i + 1, capability: 'fire', arguments: { value }, description: value })),
});

/** node_1 writes a, node_2 writes b once a is written. The run, a double, says yes to everything, with these tokens. */
async function opened(rules: readonly ApprovalRule[] = [], root = WORKFLOW_ID) {
  const written: string[] = [];
  let tokens: readonly string[] = [];
  const askRun: AskRun = (_, works) =>
    Promise.resolve({ words: works.map(() => null), tokens, proofs: works.map(() => [...tokens.keys()]) });
  const fire = writes('fire', 'at-most-once', written);
  const rootOf = () => Promise.resolve({ workflowId: root });
  const rig = await openActivities([fire], { askRun, keys, policy: { rules }, rootOf });
  const [open, shorter, elsewhere, otherGoal] = await Promise.all([
    rig.compiled(plan('Write', 'a', 'b')),
    rig.compiled(plan('Write', 'a')),
    rig.compiled(plan('Write', 'c')),
    rig.compiled(plan('Write more', 'a', 'b')),
  ]);
  let attempts = 0;
  const attempt = async (some: readonly string[], over: Partial<NodeRequest> = {}) => {
    tokens = some;
    const request = { revision: open.revisionRef, nodeId: 'node_1', inputs: [], work: 7, ...over };
    const call = rig.call('runTask', request, { token: `attempt ${(attempts += 1)}` });
    return call.then(
      () => 'begun',
      async () => {
        const failure = await failureOf(call);
        expect(failure).toMatchObject({ type: 'NotApproved', nonRetryable: true });
        // One that has begun under this key before is not said to have not.
        if (written.length === 0) expect(failure.details).toMatchObject([{ begun: false }]);
        // The run may know older rules.
        const isCounted = failure.message.includes('as far as this worker can verify');
        expect(failure.details?.[0]).toMatchObject(isCounted ? { rules } : {});
        return failure.message;
      },
    );
  };
  return { written, attempt, open, shorter, elsewhere, otherGoal, rig };
}
type Opened = Awaited<ReturnType<typeof opened>>;

test.each<[string, (on: Opened) => Promise<string>[]]>([
  ['whole', ({ open }) => [sign({ kind: 'approve', digest: open.digest })]],
  ['in a part that has it', ({ open }) => [sign({ kind: 'approve-part', nodes: ['node_1'], digest: open.digest })]],
  ['in a part that needs it', ({ open }) => [sign({ kind: 'approve-part', nodes: ['node_2'], digest: open.digest })]],
  ['before an edit that left it as it is', ({ shorter }) => [sign({ kind: 'approve', digest: shorter.digest })]],
  [
    'long ago',
    ({ open }) => [sign({ kind: 'approve', digest: open.digest }, { now: new Date('2026-01-02T03:04:05Z') })],
  ],
  [
    'by one of several',
    ({ open }) => [
      sign({ action: 'pause' }),
      sign({ kind: 'approve', digest: open.digest }, { who: 'stranger', as: 'operator' }),
      sign({ kind: 'approve', digest: open.digest }, { who: 'deputy' }),
    ],
  ],
])('an effect begins when its plan was approved with a key that the worker knows: %s', async (_, tokens) => {
  const on = await opened();
  expect(await on.attempt(await Promise.all(tokens(on)))).toBe('begun');
  expect(on.written).toHaveLength(1);
});

test('an approval of one value from outside is none of another, also where the plan is the same', async () => {
  const { rig, written, attempt } = await opened();
  const source = {
    document: {
      goal: 'Write',
      steps: [{ step_id: 1, description: 'a', capability: 'fire', arguments: { value: 'a' }, inputs: ['account'] }],
    },
  };
  const shapeFor = async (account: string) => {
    const reply = await rig.call('compilePlan', { source, context: { account, unread: account } });
    if (!reply.ok) throw new Error(JSON.stringify(reply.issues));
    return rig.shapeOf(reply);
  };
  const [shop, other] = [await shapeFor('shop'), await shapeFor('stranger')];
  expect(shop.context).toEqual([expect.stringMatching(/^context account: "shop" \(6 bytes, [\w-]{43}\)$/)]);
  expect(shop.digestWithoutContext).toBe(other.digestWithoutContext);
  // It is told that the effect has begun whatever it was given, and approved for what it is given.
  expect(shop.effectKeys).toEqual(other.effectKeys);
  const approval = await sign({ kind: 'approve', digest: shop.digest });
  expect(await attempt([approval], { revision: other.revisionRef })).toMatch('about other nodes');
  expect(written).toEqual([]);
  expect(await attempt([approval], { revision: shop.revisionRef })).toBe('begun');
});

describe('an effect does not begin', () => {
  test.each<[string, (on: Opened) => Promise<string>[], string]>([
    ['by nothing', () => [], 'no signed message approves it'],
    ['by what is no token', () => [Promise.resolve('x'.repeat(99))], 'no compact JWS'],
    [
      'by a key that is not known',
      ({ open }) => [sign({ kind: 'approve', digest: open.digest }, { who: 'stranger', as: 'operator' })],
      'does not fit the key',
    ],
    [
      'by an approval that was given to another run',
      ({ open }) => [sign({ kind: 'approve', digest: open.digest }, { workflowId: 'plan-2' })],
      'was made for the run "plan-2"',
    ],
    [
      'by an approval that was given in another namespace',
      ({ open }) => [sign({ kind: 'approve', digest: open.digest }, { namespace: 'staging' })],
      'was made for the namespace "staging"',
    ],
    ['by a rejection', ({ open }) => [sign({ kind: 'reject', digest: open.digest })], 'no signed message approves it'],
    ['by a word that says no kind', ({ open }) => [sign({ digest: open.digest })], 'kind: expected'],
    ['by eight digits', ({ open }) => [sign({ kind: 'approve', digest: open.digest.slice(0, 8) })], 'approves nothing'],
    [
      'by the approval of a plan that does not have it',
      ({ elsewhere }) => [sign({ kind: 'approve', digest: elsewhere.digest })],
      'is about other nodes',
    ],
    [
      'by the approval of the same steps under another goal',
      ({ otherGoal }) => [sign({ kind: 'approve', digest: otherGoal.digest })],
      'is about other nodes',
    ],
    [
      'by a repetition',
      ({ open }) => [sign({ action: 'retry-node', node: 'node_1', digest: open.digest })],
      'no signed',
    ],
  ])('%s', async (_, tokens, reason) => {
    const on = await opened();
    expect(await on.attempt(await Promise.all(tokens(on)))).toContain(reason);
    expect(on.written).toEqual([]);
  });

  test('by the approval of a part that it is not in', async () => {
    const on = await opened();
    const part = await sign({ kind: 'approve-part', nodes: ['node_1'], digest: on.open.digest });
    expect(await on.attempt([part], { nodeId: 'node_2' })).toContain('is about other nodes');
  });
});

describe('the rules of the project hold at the effect', () => {
  const two = [{ effect: 'at-most-once', roles: ['safety'] }, { count: 2 }] as const;

  test('whatever those of the run ask', async () => {
    const on = await opened(two);
    const approval = { kind: 'approve', digest: on.open.digest };
    const [safety, again, plain, other] = await Promise.all([
      sign(approval, { role: 'safety' }),
      sign(approval, { role: 'safety' }),
      sign(approval),
      sign(approval, { who: 'deputy' }),
    ]);
    for (const some of [[safety], [safety, again], [safety, plain], [plain, other]]) {
      expect(await on.attempt(some)).toContain('the rules of the project ask for more');
    }
    expect(await on.attempt([safety, other])).toBe('begun');
  });
});

describe('a repetition', () => {
  test('takes a signed message for each', async () => {
    const on = await opened();
    const approval = await sign({ kind: 'approve', digest: on.open.digest });
    const repeat = () => sign({ action: 'retry-node', node: 'node_1', digest: on.open.digest });
    const [first, second] = await Promise.all([repeat(), repeat()]);
    expect(await on.attempt([approval])).toBe('begun');
    for (const some of [[approval], [approval, approval]]) {
      expect(await on.attempt(some, { retry: 1 })).toContain('repeated 1 times, and 0 signed messages say so');
    }
    expect(await on.attempt([approval, first])).toContain('repeated 0 times, and 1 signed messages say so');
    expect(await on.attempt([approval, first], { retry: 1 })).toBe('begun');
    expect(await on.attempt([approval, first, first], { retry: 2 })).toContain('and 1 signed messages say so');
    expect(await on.attempt([approval, first, second], { retry: 2 })).toBe('begun');
    expect(on.written).toHaveLength(3);
  });

  test('of another node is none of this', async () => {
    const on = await opened();
    const approval = await sign({ kind: 'approve', digest: on.open.digest });
    const other = await sign({ action: 'retry-node', node: 'node_2', digest: on.open.digest });
    expect(await on.attempt([approval, other], { retry: 1 })).toContain('a message repeats another node');
  });
});

describe('a rule about who speaks holds for the worker too', () => {
  const start = (who: Signing['who'], over: Signing = {}) => sign({ kind: 'start', goal: 'g' }, { who: who!, ...over });
  const approve = (on: Opened, who: Signing['who']) => sign({ kind: 'approve', digest: on.open.digest }, { who: who! });

  test('of persons alone: another key lets nothing begin, nor has it repeated', async () => {
    const on = await opened([{ person: true }]);
    const robot = await approve(on, 'operator');
    expect(await on.attempt([robot])).toContain('the rules of the project ask for more');
    const person = await approve(on, 'deputy');
    expect(await on.attempt([robot, person])).toBe('begun');
    const repeat = (who: Signing['who']) =>
      sign({ action: 'retry-node', node: 'node_1', digest: on.open.digest }, { who: who! });
    expect(await on.attempt([person, await repeat('operator')], { retry: 1 })).toContain(
      'and 0 signed messages say so',
    );
    expect(await on.attempt([person, await repeat('deputy')], { retry: 1 })).toBe('begun');
    expect(on.written).toHaveLength(2);
  });

  test('of somebody else than the starter: it is proved who that is, of this very run', async () => {
    const on = await opened([{ notStarter: true }]);
    const [own, other] = [await approve(on, 'operator'), await approve(on, 'deputy')];
    expect(await on.attempt([other])).toContain('no signed message says who started it');
    expect(await on.attempt([other, await start('operator', { workflowId: 'plan-2' })])).toContain(
      'its start: the token was made for the run "plan-2"',
    );
    expect(await on.attempt([other, await start('stranger', { as: 'operator' })])).toContain(
      'its start: the signature',
    );
    const started = await start('operator');
    expect(await on.attempt([own, started])).toContain('the rules of the project ask for more');
    expect(on.written).toEqual([]);
    expect(await on.attempt([own, other, started])).toBe('begun');
  });

  test('shown two starts, it believes the first', async () => {
    const on = await opened([{ notStarter: true }]);
    const starts = [await start('deputy'), await start('operator')];
    expect(await on.attempt([...starts, await approve(on, 'deputy')])).toContain('ask for more');
    expect(on.written).toEqual([]);
  });

  test.each([
    { kind: 'edit', digest: 'ab'.repeat(32), plan: {} },
    { kind: 'revise', digest: 'ab'.repeat(32), feedback: 'Shorter' },
    { kind: 'reject', digest: 'ab'.repeat(32), comment: 'Set it to 5' },
    { question: '3fa9c1d2.planner', value: 5, digest: 'ab'.repeat(32) },
  ])('nor of one who has put words into the plan: %j', async (said) => {
    const on = await opened([{ notStarter: true }], 'plan-root');
    const [started, other] = [await start('operator', { workflowId: 'plan-root' }), await approve(on, 'deputy')];
    for (const workflowId of [WORKFLOW_ID, 'plan-root']) {
      const words = await sign(said, { who: 'deputy', workflowId });
      expect(await on.attempt([started, words, other])).toContain('the rules of the project ask for more');
    }
    // What somebody else forged in their name takes no vote from them.
    const forged = await sign(said, { who: 'stranger', as: 'deputy' });
    expect(await on.attempt([started, forged, other])).toBe('begun');
  });

  test('nor of an author whose message stands behind 100 others: more are not looked through, and prove nobody', async () => {
    const on = await opened([{ notStarter: true }]);
    const edit = { kind: 'edit', digest: 'ab'.repeat(32) };
    const edits = await Promise.all(
      Array.from({ length: 100 }, (_, at) => sign({ ...edit, plan: at }, { who: 'operator' })),
    );
    const said = [await start('operator'), ...edits, await sign({ ...edit, plan: {} }, { who: 'deputy' })];
    expect(await on.attempt([...said, await approve(on, 'deputy')])).toContain('more than 100 signed messages say who');
    expect(on.written).toEqual([]);
  });

  test('in an agent by the start of the run that the server names as its root', async () => {
    const on = await opened([{ notStarter: true }], 'plan-root');
    const other = await approve(on, 'deputy');
    const elsewhere = await start('operator', { workflowId: 'plan-other' });
    expect(await on.attempt([other, elsewhere])).toContain('came to the run "plan-root"');
    expect(await on.attempt([other, await start('operator', { workflowId: 'plan-root' })])).toBe('begun');
  });
});

describe('whoever answers in the place of the run', () => {
  test('names plans that are not there in many messages: each is passed over', async () => {
    const on = await opened();
    const digests = ['ab', 'cd', 'ef', '12'].map((two) => two.repeat(32));
    const gone = await Promise.all(digests.map((digest) => sign({ kind: 'approve', digest })));
    expect(await on.attempt(gone)).toContain('is none here');
    expect(await on.attempt([...gone, await sign({ kind: 'approve', digest: on.open.digest })])).toBe('begun');
  });

  test('names a plan that is not there, beside the approval: the message is passed over', async () => {
    const on = await opened();
    const [gone, other] = await Promise.all([
      sign({ kind: 'approve', digest: 'ab'.repeat(32) }),
      sign({ action: 'retry-node', node: 'node_1', digest: 'cd'.repeat(32) }),
    ]);
    expect(await on.attempt([gone, other])).toContain('the plan abababab that a message names is none here');
    expect(await on.attempt([gone, other, await sign({ kind: 'approve', digest: on.open.digest })])).toBe('begun');
  });

  test('sends 4,600 forged messages: so many are verified as rules can ask for, and others have their turn between', async () => {
    const on = await opened();
    const forged = await sign({ kind: 'approve', digest: on.open.digest }, { who: 'stranger', as: 'operator' });
    const [head = '', body = '', signature = ''] = forged.split('.');
    const tokens = Array.from({ length: 4600 }, (_, n) => `${head}.${body}.${signature.slice(0, -5)}${n + 1000}A`);
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const told = await on.attempt([...tokens, await sign({ kind: 'approve', digest: on.open.digest })]);
    clearInterval(counting);
    expect(told).toContain('of 4601 messages the first 101 were looked at');
    expect(turns).toBeGreaterThan(10);
    expect(on.written).toEqual([]);
  });

  test('sends more than it should, with those that count among the first', async () => {
    const on = await opened();
    const parts = Array.from({ length: 101 }, () => sign({ kind: 'approve', digest: on.open.digest }));
    expect(await on.attempt(await Promise.all(parts))).toBe('begun');
  });
});

/** A cost of 5 and a preview: neither is in the digest, and both are part of what is signed. */
describe('an effect with a cost and a state', () => {
  async function priced() {
    const began: string[] = [];
    let [now, tokens, figures]: [number, readonly string[], readonly string[]] = [40, [], []];
    const askRun: AskRun = (_, works) =>
      Promise.resolve({ words: works.map(() => null), tokens, proofs: works.map(() => [...tokens.keys()]), figures });
    // oxlint-disable-next-line unicorn/no-thenable -- a text, which nothing awaits
    const look = () => Promise.resolve({ shows: [{ what: 'magnet', now: `${now}`, then: '46' }], state: now });
    const set = { ...writes('fire', 'at-most-once', began), cost: 5, look };
    const rig = await openActivities([set], { askRun, keys, policy: { rules: [] } });
    const slice = await rig.compiled(plan('Write', 'a'));
    const stateOf = (at: number) => {
      now = at;
      return createHash('sha256').update(String(at)).digest('base64url');
    };
    const shownWith = (state: string, cost = 5) => JSON.stringify({ 0: figureOf(cost, state) });
    const approval = (text?: string) =>
      sign({ kind: 'approve', digest: slice.digest, ...(text !== undefined && { shown: shownHash(text) }) });
    const attempt = async (token: string, texts: readonly string[], over: Partial<NodeRequest> = {}) => {
      [tokens, figures] = [[token], texts];
      const request = { revision: slice.revisionRef, nodeId: 'node_1', inputs: [], work: 7, cost: 5, ...over };
      const reply: unknown = await rig.call('runTask', request).catch((error: Error) => error.message);
      return began.length > 0 ? 'begun' : reply;
    };
    return { attempt, approval, shownWith, stateOf };
  }
  const OTHERS = 'was not given for the cost and the state that it has now';

  test('begins if it was approved with just these', async () => {
    const { attempt, approval, shownWith, stateOf } = await priced();
    const state = stateOf(40);
    const text = shownWith(state);
    expect(await attempt(await approval(text), [text], { state })).toBe('begun');
  });

  test.each<[string, (on: Awaited<ReturnType<typeof priced>>, was: string, now: string) => Promise<unknown>, unknown]>([
    [
      'another state, which the run says was shown',
      async ({ attempt, approval, shownWith }, was, now) =>
        attempt(await approval(shownWith(was)), [shownWith(now)], { state: now }),
      OTHERS,
    ],
    [
      'another state, which the run names in place of it',
      async ({ attempt, approval, shownWith }, was, now) =>
        attempt(await approval(shownWith(was)), [shownWith(was)], { state: now }),
      OTHERS,
    ],
    [
      'another cost',
      async ({ attempt, approval, shownWith }, _, now) =>
        attempt(await approval(shownWith(now, 4)), [shownWith(now, 4), shownWith(now)], { state: now }),
      OTHERS,
    ],
    [
      'nothing that was named',
      async ({ attempt, approval, shownWith }, _, now) => attempt(await approval(), [shownWith(now)], { state: now }),
      OTHERS,
    ],
    [
      'what is no list of costs and states',
      async ({ attempt, approval }, _, now) => attempt(await approval('[]'), ['[]'], { state: now }),
      OTHERS,
    ],
    [
      'no state, which the run has left out',
      async ({ attempt, approval, shownWith }, was) => attempt(await approval(shownWith(was)), [shownWith(was)]),
      { deferred: 'run', seen: { preview: { rows: ['magnet 41 -> 46'] } } },
    ],
  ])('does not begin after an approval of %s', async (_, trying, said) => {
    const on = await priced();
    const [was, now] = [on.stateOf(40), on.stateOf(41)];
    const reply = await trying(on, was, now);
    if (typeof said === 'string') expect(reply).toContain(said);
    else expect(reply).toMatchObject(said as object);
  });
});
