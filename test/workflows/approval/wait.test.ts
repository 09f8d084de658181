/** What silence, rejections and one person's several words do to an approval, and when its wait begins anew. */

import { describe, expect, test } from 'vitest';
import { isStale, REFUSALS, type ApprovalRule, type Decision } from '../../../src/protocol/index.ts';
import { close, decide, expire, openRevision } from '../../../src/workflows/approval/approval.ts';
import type { Gate } from '../../../src/workflows/approval/coverage.ts';
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
    expect(after.outcome).toBe(phase === 'closed' ? 'expired' : undefined);
  });

  test('ends a run once', () => {
    expect(close(close(waiting, 'expired'), 'done').outcome).toBe('expired');
  });
});

describe('rejections', () => {
  test('end the run at their limit, counted over all its plans', () => {
    const once = stateAfter({ said: [{ kind: 'reject' }], max: { rejections: 2 } }, [{}]);
    const edited = openRevision(once, { digest: 'e'.repeat(64), gate: once.gate as Gate, at: AT });
    expect(edited).toMatchObject({ revision: 2, rejected: false, phase: 'awaiting-approval' });
    const ruling = decide(edited, decision({ kind: 'reject', digest: 'e'.repeat(8), by: 'reviewer' }), AT);
    expect(ruling).toMatchObject({ ok: true, approval: { phase: 'closed', outcome: 'rejected' } });
  });
});

describe('one person', () => {
  test.each([
    'OPERATOR',
    ' operator ',
    'ｏｐｅｒａｔｏｒ',
    'oper\u200bator',
    'operator\ufeff',
    'oper\u00adator',
    'operat\u{e0061}or',
    '\u3164operator',
    'operator\u2800',
  ])('is one, also written as %j', (by) => {
    const ruling = decide(stateAfter({ said: [{}] }, [{ count: 2 }]), decision({ by }), AT);
    expect(ruling).toMatchObject({ ok: false, refusal: 'already-decided' });
  });

  test.each(['anna', 'an a', 'anа'])('is another as %j', (by) => {
    expect(decide(stateAfter({ said: [{}] }, [{ count: 2 }]), decision({ by }), AT)).toMatchObject({ ok: true });
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
  /** Says these one after the other, each so many milliseconds after the one before; when the wait ends then. */
  function waitAfter(rules: readonly ApprovalRule[], said: readonly [ms: number, one: Partial<Decision>][]) {
    let ms = 0;
    let approval = stateAfter({}, rules);
    for (const [after, one] of said) {
      ms += after;
      const decided = decide(approval, decision(one), later(ms));
      if (!decided.ok) return decided.refusal;
      ({ approval } = decided);
    }
    return approval.deadline === undefined ? undefined : Date.parse(approval.deadline) - Date.parse(AT);
  }
  const part = (node: number, by = 'operator') => ({ kind: 'approve-part', nodes: [`node_${node}`], by }) as const;
  const back = (by = 'operator') => ({ kind: 'withdraw', by }) as const;

  test.each<[string, readonly [number, Partial<Decision>][], number | string | undefined]>([
    ['is what it was, where nobody says anything', [], 1000],
    ["begins anew with a person's first approval", [[400, part(1)]], 1400],
    [
      'begins anew where fewer nodes wait than ever before',
      [
        [400, part(1)],
        [400, part(2)],
      ],
      1800,
    ],
    [
      'goes on where a person takes back what they approved',
      [
        [400, part(1)],
        [400, back()],
      ],
      1400,
    ],
    [
      'goes on where they approve it again',
      [
        [400, part(1)],
        [400, back()],
        [400, part(2)],
      ],
      1400,
    ],
    [
      'ends so, however often they do',
      [
        [400, part(1)],
        [400, back()],
        [400, part(1)],
        [201, back()],
      ],
      'too-late',
    ],
    [
      'begins anew where another person comes',
      [
        [400, part(1)],
        [400, back()],
        [400, part(1, 'reviewer')],
      ],
      2200,
    ],
    ['stands still while nobody is waited for', [[400, {}]], undefined],
    [
      'goes on with what was left of it, where all is taken back',
      [
        [400, {}],
        [5000, back()],
      ],
      6000,
    ],
    [
      'is not begun anew by who had approved all before',
      [
        [400, {}],
        [5000, back()],
        [100, part(1)],
      ],
      6000,
    ],
    [
      'is not ended by an approval that comes to nothing',
      [
        [400, part(1)],
        [400, part(1)],
      ],
      'already-decided',
    ],
  ])('%s', (_, said, ends) => expect(waitAfter([{}], said)).toBe(ends));
});

test('a refusal is stale when another plan or another decision is in the way', () => {
  expect(REFUSALS.filter(isStale)).toEqual(['stale-digest', 'stale-revision', 'already-decided', 'already-answered']);
});
