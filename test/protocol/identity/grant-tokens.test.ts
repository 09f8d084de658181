/** A grant and a message are never read as one another, and no byte of a grant can differ from what was signed. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyPair, publicKeysOf, signMessage, verifyToken } from '../../../src/protocol/identity/index.ts';
import { signGrant } from '../../../src/protocol/identity/sign-message.ts';
import type { GrantTerms } from '../../../src/protocol/identity/token/index.ts';

const { privateKey: key, publicKey } = createKeyPair();
const keys = publicKeysOf({ keys: { operator: { publicKey, subject: 'operator', roles: ['safety'] } } });
const TERMS: GrantTerms = {
  shape: 'a'.repeat(64),
  goal: 'Pay',
  vary: { 'node_1/arguments/amount': { type: 'number' } },
  effects: { node_1: 'capability pay@1 at-most-once' },
  uses: 30,
  anybody: true,
  approval: 'required',
};
const SIGNED_AT = new Date('2026-05-01T00:00:00Z');
const UNTIL = Date.parse('2026-06-01T00:00:00Z') / 1000;
const sign = (terms: object = TERMS, over: object = {}) =>
  signGrant({ key, by: 'operator', role: 'safety', terms: terms as GrantTerms, until: UNTIL, now: SIGNED_AT, ...over });
const verify = (token: string, at?: string, isGrant?: true) =>
  verifyToken(token, { keys, workflowId: 'plan-1', ...(at && { at }), ...(isGrant && { isGrant }) });

test('a grant is valid from its beginning to its end, by the second', async () => {
  const token = await sign({ ...TERMS, from: Date.parse('2026-05-02T00:00:00Z') / 1000 });
  expect(verify(token, undefined, true)).toMatchObject({
    ok: true,
    by: 'operator',
    role: 'safety',
    message: { uses: 30 },
  });
  const isValid = (at: string) => verify(token, at, true).ok;
  expect(
    ['2026-05-01T23:59:59Z', '2026-05-02T00:00:00Z', '2026-05-31T23:59:59Z', '2026-06-01T00:00:00Z'].map(isValid),
  ).toEqual([false, true, true, false]);
});

test('a grant is no message, and a message is no grant, whatever it contains', async () => {
  expect(verify(await sign())).toMatchObject({
    ok: false,
    reason: expect.stringContaining('unknown claim "grant"') as string,
  });
  const message = { kind: 'approve', digest: 'b'.repeat(64), grant: TERMS };
  const token = await signMessage({ key, by: 'operator', workflowId: 'plan-1', message });
  expect(verify(token).ok).toBe(true);
  expect(verify(token, undefined, true).ok).toBe(false);
});

test('a token with another byte is no grant', async () => {
  const token = await sign();
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'Z', 'a', '0', '9', '-', '_', '.'), (at, letter) => {
      fc.pre(token[at] !== letter);
      return !verify(`${token.slice(0, at)}${letter}${token.slice(at + 1)}`, undefined, true).ok;
    }),
    { numRuns: 150 },
  );
});

test.each<[string, object, object, RegExp]>([
  ['no use', { uses: 0 }, {}, /expected 1 to 10000 uses/],
  ['too many uses', { uses: 10_001 }, {}, /expected 1 to 10000 uses/],
  ['starters and anybody', { starters: ['operator'] }, {}, /and not both/],
  ['neither', { anybody: undefined }, {}, /and not both/],
  ['nobody', { anybody: undefined, starters: [] }, {}, /and not both/],
  ['a shape that is no digest', { shape: 'x' }, {}, /shape/],
  ['a limit that this version does not know', { maxAmount: 5 }, {}, /unknown "maxAmount"/],
  ['a starter of two lines', { anybody: undefined, starters: ['a\nb'] }, {}, /name of one line/],
  ['rules that are none', { approval: 'never' }, {}, /approval/],
  ['an end before its beginning', {}, { until: 0 }, /within 366 days/],
  ['more than a year', {}, { until: UNTIL + 400 * 86_400 }, /within 366 days/],
])('a grant with %s cannot be signed', async (_, terms, over, reason) => {
  const all = Object.fromEntries(Object.entries({ ...TERMS, ...terms }).filter(([, value]) => value !== undefined));
  await expect(sign(all, over)).rejects.toThrow(reason);
});

test('a grant speaks for its key alone, in its namespace', async () => {
  expect(verify(await sign(TERMS, { by: 'deputy' }), undefined, true).ok).toBe(false);
  expect(verify(await sign(TERMS, { role: 'budget' }), undefined, true).ok).toBe(false);
  expect(verify(await sign(TERMS, { namespace: 'staging' }), undefined, true).ok).toBe(false);
});
