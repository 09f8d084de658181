/** An approval is about the costs and states that it was shown with, which no digest has. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Preview, PlanShape } from '../../../src/protocol/index.ts';
import { askAgain, decide } from '../../../src/workflows/approval/approval.ts';
import { figuresBehind, figuresOf, shownHash } from '../../../src/protocol/identity/token/figures.ts';
import { AT, DIGEST, executor, openedRun, shapeOf } from '../run/make-run.ts';

const preview = (state: string): Preview => ({ state, rows: [`${state} -> 46`] });
const shape = (costs: readonly (number | undefined)[], states: Readonly<Record<number, string>> = {}) =>
  shapeOf(
    costs.map(() => []),
    {
      executors: costs.map((cost) => executor('idempotent', 'set', cost)),
      executorOf: costs.map((_, at) => at),
      previews: Object.fromEntries(Object.entries(states).map(([node, state]) => [node, preview(state)])),
    },
  );
const approvalOf = (of: PlanShape) => openedRun(of).state.approval;

describe('a decision', () => {
  const changed = () => {
    const before = approvalOf(shape([1], { 0: 'a' }));
    const subject = approvalOf(shape([1], { 0: 'b' })).subject!;
    return { before, after: askAgain(before, [0], AT, subject) };
  };
  const say = (approval: ReturnType<typeof approvalOf>, more: object) =>
    decide(approval, { kind: 'approve', digest: DIGEST, by: 'operator', verified: false, ...more }, AT);
  const token = 'a signed message';

  test.each<[string, object, boolean]>([
    ['names nothing', {}, true],
    ['names what is shown', { shown: 'NOW' }, true],
    ['names its first digits, in capitals', { shown: 'SHORT' }, true],
    ['names something else', { shown: 'aaaaaaaa' }, false],
    ['is signed and names what is shown', { token, shown: 'NOW' }, true],
    ['is signed and names its first digits', { token, shown: 'SHORT' }, false],
    ['is signed and names nothing', { token }, false],
  ])('about a plan with a cost that %s is taken: %j %s', (_, said, isTaken) => {
    const { before } = changed();
    const { shown = '' } = before;
    const named = { NOW: shown, SHORT: shown.slice(0, 8).toUpperCase() };
    const { shown: of } = said as { shown?: keyof typeof named };
    const reply = say(before, { ...said, ...(of !== undefined && { shown: named[of] ?? of }) });
    expect(reply.ok).toBe(isTaken);
    if (!reply.ok) expect(reply).toMatchObject({ refusal: 'stale-revision' });
  });

  test('after a state has changed names the new one', () => {
    const { before, after } = changed();
    expect(after.shown).not.toBe(before.shown);
    for (const more of [{}, { shown: before.shown }, { token, shown: before.shown }])
      expect(say(after, more)).toMatchObject({ ok: false, refusal: 'stale-revision' });
    expect(say(after, { shown: after.shown })).toMatchObject({ ok: true });
    expect(say(after, { kind: 'reject' })).toMatchObject({ ok: true });
  });

  test('about a plan without costs and states names nothing', () => {
    const plain = approvalOf(shape([undefined]));
    expect(plain.shown).toBeUndefined();
    expect([say(plain, {}).ok, say(plain, { token }).ok]).toEqual([true, true]);
    expect(say(plain, { shown: 'aaaaaaaa' })).toMatchObject({
      reason: expect.stringContaining('leave out "shown"') as string,
    });
  });

  test('that is signed is kept with the costs and states that it was given for', () => {
    const { before } = changed();
    const reply = say(before, { token, shown: before.shown });
    expect(reply).toMatchObject({ ok: true, approval: { consents: [{ token, figures: '{"0":"1 a"}' }] } });
  });
});

test('the hash covers every cost and state, also beyond what a card lists, and the order of nodes', () => {
  const costs = fc.array(fc.option(fc.nat(3), { nil: undefined }), { minLength: 101, maxLength: 150 });
  fc.assert(
    fc.property(costs, fc.nat(100), fc.constantFrom('a', 'b'), (all, at, state) => {
      const text = figuresOf(shape(all, { [at]: state }));
      const shown = shownHash(text);
      expect(figuresBehind(shown, ['{}', text ?? '', '[]'])[at]).toBe(`${all[at] ?? 0} ${state}`);
      const others = [
        shape(all, { [at]: `${state}c` }),
        shape(all, { [at + 1 < all.length ? at + 1 : 0]: state }),
        shape(all.with(at, (all[at] ?? 0) + 1), { [at]: state }),
        shape(all),
      ];
      for (const other of others) expect(shownHash(figuresOf(other))).not.toBe(shown);
    }),
    { numRuns: 50 },
  );
});
