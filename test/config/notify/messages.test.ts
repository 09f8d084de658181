/** When a message is due, whom it addresses, and what it may contain. */

import { describe, expect, test } from 'vitest';
import { itemKey } from '../../../src/client/item-key.ts';
import { itemMessage, runMessage, stepsDue } from '../../../src/config/notify/messages.ts';
import { openReceivers } from '../../../src/config/notify/index.ts';
import type { ReceiverSettings } from '../../../src/config/notify/schema.ts';
import { REPLANNED_SINCE, type AskedEffect, type OpenItem } from '../../../src/protocol/index.ts';
import { approvalItem } from './receiving.ts';

const NOW = Date.parse('2026-01-03T00:00:00.000Z');
const HOUR = 3_600_000;
const at = (ms: number) => new Date(NOW + ms).toISOString();
const receiver = (entry: Partial<ReceiverSettings> = {}) =>
  openReceivers([{ name: 'ops', command: ['true'], ...entry }], '.', {})[0]!;
const waiting = (sinceMs: number, deadlineMs: number, more: object = {}) =>
  approvalItem({ since: at(sinceMs), deadline: at(deadlineMs), ...more });

describe('a message is due', () => {
  test.each<[string, Partial<ReceiverSettings>, OpenItem, readonly string[]]>([
    ['at once', {}, waiting(0, HOUR), ['open payer']],
    ['of anybody, to anybody', {}, waiting(0, HOUR, { roles: undefined }), ['open anybody']],
    ['to the roles of the entry', { roles: ['payer', 'x'] }, waiting(0, HOUR), ['open payer']],
    ['of anybody, to the roles of the entry', { roles: ['x'] }, waiting(0, HOUR, { roles: undefined }), ['open x']],
    ['to no other role', { roles: ['x'] }, waiting(-HOUR, HOUR), []],
    ['not before its time', { after: '10m' }, waiting(-599_000, HOUR), []],
    ['after its time', { after: '10m' }, waiting(-600_000, HOUR), ['open payer']],
    ['again before the deadline', { remind: '2h' }, waiting(-9 * HOUR, 2 * HOUR), ['open payer', 'reminder payer']],
    ['not long before the deadline', { remind: '2h' }, waiting(-9 * HOUR, 3 * HOUR), ['open payer']],
    ['not after the deadline', { remind: '2h' }, waiting(-9 * HOUR, -1), ['open payer']],
    ['once, where the wait is shorter than a reminder', { remind: '2h' }, waiting(0, HOUR), ['open payer']],
    [
      'to others, step by step',
      {
        escalate: [
          { after: '4h', roles: ['lead'] },
          { after: '8h', roles: ['chief', 'owner'] },
          { after: '12h', roles: ['z'] },
        ],
      },
      waiting(-8 * HOUR, HOUR),
      ['open payer', 'escalation lead', 'escalation chief,owner'],
    ],
  ])('%s', (_, entry, item, due) => {
    const steps = stepsDue(receiver(entry), item, NOW);
    expect(steps.map(({ why, to = ['anybody'] }) => `${why} ${to.join()}`)).toEqual(due);
    expect(new Set(steps.map(({ key }) => key)).size).toBe(steps.length);
  });

  test('for an item that is asked again, and for a deadline that moves', () => {
    const item = waiting(0, HOUR);
    expect(itemKey({ ...item, text: 'approved so far by operator', deadline: at(2 * HOUR) })).toBe(itemKey(item));
    for (const other of [
      { since: at(1) },
      { revision: 2 },
      { digest: 'b' },
      { id: 'node_1' },
      { workflowId: 'plan-2' },
      { shown: 'a' },
    ])
      expect(itemKey({ ...item, ...other })).not.toBe(itemKey(item));
    const [, reminder] = stepsDue(receiver({ remind: '2h' }), waiting(-9 * HOUR, HOUR), NOW);
    const [, moved] = stepsDue(receiver({ remind: '2h' }), waiting(-9 * HOUR, 2 * HOUR), NOW);
    expect(moved!.key).not.toBe(reminder!.key);
  });
});

describe('a message', () => {
  const surroundings = {
    commandOf: ({ roles = [] }: OpenItem) => `approve plan-1 --role ${roles.join()}`,
    runCommand: (id: string) => `status ${id}`,
    runPath: (id: string) => `/runs/${id}`,
  };
  const messageOf = (item: OpenItem, entry: Partial<ReceiverSettings> = {}, isEncrypted = false) =>
    itemMessage(item, { why: 'escalation', to: ['lead'], key: '' }, receiver(entry), isEncrypted ? undefined : 'Pay', {
      ...surroundings,
      isEncrypted,
    });
  const full = approvalItem({
    text: 'node_1 did this before, with 44-from-values\napprove the plan "Pay the rent"?',
    warning: 'node_1 did this before, with 44-from-values',
    context: ['context account: "44-from-values"'],
    default: '44-from-values',
    suggestions: ['44-from-values'],
  });

  test('names everything that a person needs, and who may decide beside whom it addresses', () => {
    expect(messageOf(full, { page: 'https://plans.example.org/' })).toEqual({
      ...{ why: 'escalation', kind: 'approval', workflowId: 'plan-1', item: 'approval', goal: 'Pay' },
      text: 'approve the plan "Pay the rent"?',
      ...{ roles: ['payer'], to: ['lead'], digest: full.digest, revision: 1, nodes: ['node_1'], nodeCount: 1 },
      effects: [{ node: 'node_1', key: 'rent', title: 'transfer: Pay', effect: 'at-most-once' }],
      ...{ effectCount: 1, since: full.since, deadline: full.deadline },
      command: 'approve plan-1 --role payer',
      page: 'https://plans.example.org/runs/plan-1',
    });
  });

  test.each<[string, OpenItem]>([
    ['an approval', full],
    [
      'an effect that may have happened',
      approvalItem({ ...full, kind: 'uncertain', text: 'did it? 44-from-values', warning: undefined }),
    ],
    ['a failure', approvalItem({ ...full, kind: 'failed', text: 'node_1 failed: 44-from-values', warning: undefined })],
  ])('of %s has values only if the entry asks for content', (_, item) => {
    expect(JSON.stringify(messageOf(item))).not.toContain('-values');
    const withContent = JSON.stringify(messageOf(item, { content: true }));
    for (const value of ['44-from-values', 'earlier-with-values']) expect(withContent).toContain(value);
  });

  test('has ids, counts and keys only, where everything is encrypted', () => {
    expect(messageOf(full, { page: 'https://plans.example.org' }, true)).toEqual({
      ...{ why: 'escalation', kind: 'approval', workflowId: 'plan-1', item: 'approval', to: ['lead'] },
      ...{ digest: full.digest, revision: 1, nodes: ['node_1'], nodeCount: 1, effectCount: 1 },
      effects: [{ node: 'node_1', key: 'rent', effect: 'at-most-once' }],
      ...{ since: full.since, deadline: full.deadline },
      command: 'approve plan-1 --role ',
      page: 'https://plans.example.org/runs/plan-1',
    });
    const failed = { kind: 'run-failed', text: 'the run failed', key: '' } as const;
    expect(runMessage(failed, 'plan-1', receiver(), undefined, { ...surroundings, isEncrypted: true })).toEqual({
      ...{ why: 'open', kind: 'run-failed', workflowId: 'plan-1', command: 'status plan-1' },
    });
  });

  const EFFECT: Required<AskedEffect> = {
    ...{ node: 'node_1', key: 'rent', title: 'transfer: Pay', effect: 'at-most-once', cost: 1, resource: 'account' },
    ...{ values: [{ name: 'amount', text: '44-from-values' }], shows: ['balance  9 -> 5-values'], before: 'b-values' },
    untrusted: ['amount-values comes from node_4'],
  };

  test.each<[string, Partial<OpenItem>]>([
    ['an effect with a preview', { effects: [EFFECT] }],
    ['a fault', { kind: 'fault', text: 'the run waits for the store at 7-values; resume', ways: ['resume', 'kill'] }],
    [
      'a plan that was made anew',
      { text: `approve the plan "Pay"?${REPLANNED_SINCE}node_3 failed: no 9-values. It takes 2.`, effects: [] },
    ],
  ])('of %s has no values without content, and no more with encryption', (_, more) => {
    const item = approvalItem({ warning: undefined, effects: [], ...more });
    expect(JSON.stringify(messageOf(item))).not.toContain('-values');
    expect(JSON.stringify(messageOf(item, { content: true }))).toContain('-values');
    for (const why of ['open', 'reminder'] as const) {
      const step = { why, to: ['payer'], key: '' };
      const sent = (entry: Partial<ReceiverSettings>) =>
        itemMessage(item, step, receiver(entry), undefined, { ...surroundings, isEncrypted: true });
      expect(JSON.stringify(sent({}))).not.toMatch(/payer|values|account/);
      expect(sent({ roles: ['ops'] })).toMatchObject({ to: ['ops'] });
    }
  });

  test('is bounded, and has no control characters in its text', () => {
    const [effect] = full.effects!;
    const item = approvalItem({
      text: 'a\u001b[31mb',
      effects: Array.from({ length: 100 }, () => effect!),
      effectCount: 5000,
    });
    const message = messageOf(item) as {
      readonly effects: readonly unknown[];
      readonly effectCount: number;
      readonly text: string;
    };
    expect([message.effects.length, message.effectCount]).toEqual([20, 5000]);
    expect(message.text).not.toMatch(/\p{Cc}/u);
  });
});
