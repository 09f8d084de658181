/** What silence, rejections and one person's several words do to an approval, and when its wait begins anew. */

import type { ApprovalSubject } from '../../../src/workflows/approval/state.ts';
import { describe, expect, test } from 'vitest';
import { isStale, REFUSALS, type ApprovalRule, type Decision } from '../../../src/protocol/index.ts';
import { close, decide, expire, openRevision, waitOf } from '../../../src/workflows/approval/approval.ts';
import { AT, later } from '../run/make-run.ts';
import { decision, stateAfter, WAIT_MS } from './said-before.ts';

describe('silence', () => {
  const waiting = stateAfter({}, [{}]);

  test.each([
    ['before its deadline', waiting, -1, 'awaiting-approval'],
    ['at its deadline', waiting, 0, 'closed'],
    ['after its deadline', waiting, 1, 'closed'],
    ['where everything is approved', stateAfter({ said: [{}] }, [{}]), 1, 'running'],
    ['while a part waits', stateAfter({ said: [{ kind: 'approve-part', nodes: ['node_1'] }] }, [{}]), 1, 'closed'],
  ] as const)('%s', (_, approval, ms, phase) => {
    const after = expire(approval, later(WAIT_MS + ms));
    expect(after.phase).toBe(phase);
    expect(after.closed?.outcome).toBe(phase === 'closed' ? 'expired' : undefined);
  });

  test('ends a run once', () => {
    expect(close(close(waiting, { outcome: 'expired' }), { outcome: 'done' }).closed?.outcome).toBe('expired');
  });
});

test('rejections end the run at their limit, counted over all its plans', () => {
  const once = stateAfter({ said: [{ kind: 'reject' }], max: { rejections: 2 } }, [{}]);
  const edited = openRevision(once, { digest: 'e'.repeat(64), subject: once.subject as ApprovalSubject, at: AT });
  expect(edited).toMatchObject({ revision: 2, rejected: false, phase: 'awaiting-approval' });
  const ruling = decide(edited, decision({ kind: 'reject', digest: 'e'.repeat(8), by: 'reviewer' }), AT);
  expect(ruling).toMatchObject({ ok: true, approval: { phase: 'closed', closed: { outcome: 'rejected' } } });
});

describe('one person', () => {
  test('is one, however the name is written, and another by another letter', () => {
    const after = stateAfter({ said: [{}] }, [{ count: 2 }]);
    const again = decide(after, decision({ by: ' ＯＰＥＲ\u200bator' }), AT);
    expect(again).toMatchObject({ ok: false, refusal: 'already-decided' });
    expect(decide(after, decision({ by: '\u043eperator' }), AT)).toMatchObject({ ok: true });
  });

  test('in two roles is still one', () => {
    const rules = [{ roles: ['ops', 'chief'], count: 2 }];
    const state = stateAfter({ said: [{ role: 'ops' }] }, rules);
    expect(decide(state, decision({ role: 'chief' }), AT)).toMatchObject({ ok: false, refusal: 'already-decided' });
  });

  test('in two roles may satisfy a rule for each', () => {
    const state = stateAfter({ said: [{ role: 'ops' }] }, [{ roles: ['ops'] }, { roles: ['chief'] }]);
    expect(state.phase).toBe('awaiting-approval');
    expect(decide(state, decision({ role: 'chief' }), AT)).toMatchObject({ ok: true, approval: { phase: 'running' } });
  });
});

describe('the wait for the rest', () => {
  interface Saying extends Partial<Decision> {
    /** Milliseconds after the one before. Default: 400 */
    readonly after?: number;
  }
  /** Says these one after the other; when the wait ends then. */
  function waitAfter(rules: readonly ApprovalRule[], said: readonly Saying[]) {
    let ms = 0;
    let approval = stateAfter({}, rules);
    for (const { after = 400, ...one } of said) {
      ms += after;
      const decided = decide(approval, decision(one), later(ms));
      if (!decided.ok) return decided.refusal;
      ({ approval } = decided);
    }
    const { deadline } = waitOf(approval) ?? {};
    return deadline === undefined ? undefined : Date.parse(deadline) - Date.parse(AT);
  }
  const part = (node: number, by = 'operator') => ({ kind: 'approve-part', nodes: [`node_${node}`], by }) as const;
  const back = (by = 'operator') => ({ kind: 'withdraw', by }) as const;

  test.each<[string, readonly Saying[], number | string | undefined]>([
    ['is what it was, where nobody says anything', [], 1000],
    ["begins anew with a person's first approval", [part(1)], 1400],
    ['begins anew where fewer nodes wait than ever before', [part(1), part(2)], 1800],
    ['goes on where a person takes back what they approved', [part(1), back()], 1400],
    ['goes on where they approve it again', [part(1), back(), part(2)], 1400],
    ['ends so, however often they do', [part(1), back(), part(1), { ...back(), after: 201 }], 'too-late'],
    ['begins anew where another person comes', [part(1), back(), part(1, 'reviewer')], 2200],
    ['stands still while nobody is waited for', [{}], undefined],
    ['goes on with what was left of it, where all is taken back', [{}, { ...back(), after: 5000 }], 6000],
    [
      'is not begun anew by who had approved all before',
      [{}, { ...back(), after: 5000 }, { ...part(1), after: 100 }],
      6000,
    ],
    ['is not ended by an approval that comes to nothing', [part(1), part(1)], 'already-decided'],
  ])('%s', (_, said, ends) => expect(waitAfter([{}], said)).toBe(ends));
});

test('a refusal is stale when another plan or another decision is in the way', () => {
  expect(REFUSALS.filter(isStale)).toEqual(['stale-digest', 'stale-revision', 'already-decided', 'already-answered']);
});
