/** The ledger of a budget: the shares that work gets, and the sums that it settles. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Usage } from '../../../../src/protocol/index.ts';
import {
  remainingIn,
  NONE,
  openLedger,
  rename,
  reserve,
  settle,
  affordableShare,
  stricterLimit,
  multiply,
} from '../../../../src/workflows/run/spending/ledger.ts';

const FREE: Usage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
const used = (tokens: number, cost?: number, calls = 1): Usage => ({
  ...{ calls, inputTokens: tokens - 1, cachedInputTokens: 0, outputTokens: 1 },
  ...(cost !== undefined && { cost }),
});
const CALLS = { calls: true, steps: 0 } as const;

test.each([
  [{ tokens: 5 }, { tokens: 3, steps: 2 }, { tokens: 3, steps: 2 }],
  [{}, { money: 1 }, { money: 1 }],
  [{ tokens: 1 }, {}, { tokens: 1 }],
])('of %j and %j the tighter bound holds, member by member', (a, b, both) => {
  expect(stricterLimit(a, b)).toEqual(both);
  expect(stricterLimit(b, a)).toEqual(both);
});

test('a budget that is given again is as much again', () => {
  expect(multiply({ tokens: 10, money: 0.5 }, 2)).toEqual({ tokens: 20, money: 1 });
});

describe('a share', () => {
  test('is a fourth of what is left, and no less than the dearest call', () => {
    const ledger = openLedger(FREE);
    expect(affordableShare(ledger, { tokens: 100 }, CALLS, true)?.tokens).toBe(25);
    settle(ledger, 'w1', used(40), 0);
    expect(affordableShare(ledger, { tokens: 100 }, CALLS, false)?.tokens).toBe(40);
  });

  test('that is smaller than the dearest call goes only to work that is alone', () => {
    const ledger = openLedger(used(40));
    expect(affordableShare(ledger, { tokens: 50 }, CALLS, false)).toBeUndefined();
    expect(affordableShare(ledger, { tokens: 50 }, CALLS, true)?.tokens).toBe(10);
    expect(affordableShare(ledger, { tokens: 40 }, CALLS, true)).toBeUndefined();
  });

  test('of steps is one', () => {
    const ledger = openLedger(FREE);
    const limit = { steps: 9 };
    expect(affordableShare(ledger, limit, { calls: false, steps: 1 }, true)?.steps).toBe(1);
    expect(affordableShare(ledger, { steps: 0 }, { calls: false, steps: 1 }, true)).toBeUndefined();
  });

  test('of money is none once a call has cost what nobody can tell', () => {
    const ledger = openLedger(used(5));
    expect(affordableShare(ledger, { money: 1 }, CALLS, true)).toBeUndefined();
    expect(affordableShare(ledger, { tokens: 100 }, CALLS, true)?.tokens).toBe(24);
  });
});

test('work that nobody can tell the cost of has spent all that was reserved for it', () => {
  const ledger = openLedger(FREE);
  reserve(ledger, 'w1', { ...NONE, tokens: 30 });
  settle(ledger, 'w1', undefined, 1);
  expect(ledger.spent).toEqual({ tokens: 30, money: 0, steps: 1 });
});

test('a reservation goes on under another name, without its step', () => {
  const ledger = openLedger(FREE);
  reserve(ledger, 'w1', { tokens: 30, money: 0, steps: 1 });
  rename(ledger, 'w1', 'n');
  expect(Object.entries(ledger.reserved)).toEqual([['n', { tokens: 30, money: 0, steps: 0 }]]);
});

test('whatever is reserved and settled, the sum of both passes no limit but by what calls cost beyond their share', () => {
  const step = fc.record({ asks: fc.boolean(), ends: fc.nat(5), costs: fc.nat(60), isLost: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.array(step, { maxLength: 60 }), (tokens, steps) => {
      const ledger = openLedger(FREE);
      const limit = { tokens };
      let over = 0;
      for (const [nth, { asks, ends, costs, isLost }] of steps.entries()) {
        const share = asks
          ? affordableShare(ledger, limit, CALLS, Object.keys(ledger.reserved).length === 0)
          : undefined;
        if (share !== undefined) reserve(ledger, `w${nth}`, share);
        const [name = ''] = Object.keys(ledger.reserved).slice(ends);
        const had = ledger.reserved[name]?.tokens;
        if (had !== undefined && !isLost) over += Math.max(0, costs + 1 - had);
        if (had !== undefined) settle(ledger, name, isLost ? undefined : used(costs + 1), 0);
        const held = Object.values(ledger.reserved).reduce((sum, one) => sum + one.tokens, 0);
        expect(ledger.spent.tokens + held).toBeLessThanOrEqual(tokens + over);
        expect(remainingIn(ledger, limit).tokens).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
