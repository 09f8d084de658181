import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDecision } from '../../src/run/decision.ts';

const GOOD = { digest: '3fa9c1d2', by: 'ana' };

describe('a decision is read', () => {
  test('with its kind from the name of the message', () => {
    expect(parseDecision(GOOD, 'approve')).toEqual({ ok: true, decision: { kind: 'approve', ...GOOD } });
  });

  test('with its kind from the payload, digest in lower case and name trimmed', () => {
    const parsed = parseDecision({ kind: 'reject', digest: '3FA9C1D2', by: ' ana ', comment: 'no' });
    expect(parsed).toEqual({ ok: true, decision: { kind: 'reject', digest: '3fa9c1d2', by: 'ana', comment: 'no' } });
  });

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'expected an object'],
    ['null', null, 'got null'],
    ['a list', [], 'got a list'],
    ['a text', 'yes', 'got "yes"'],
    ['a number', 7, 'got number 7'],
    [
      'the marker of a payload that could not be decoded',
      { malformed: true, reason: 'Unexpected token' },
      'Unexpected token',
    ],
    ['no digest', { by: 'ana' }, 'digest: expected'],
    ['a short digest', { digest: '3fa9', by: 'ana' }, 'digest: expected'],
    ['a digest that is not hex', { digest: 'zzzzzzzz', by: 'ana' }, 'digest: expected'],
    ['no name', { digest: '3fa9c1d2' }, 'by: expected'],
    ['a blank name', { digest: '3fa9c1d2', by: ' ' }, 'by: expected'],
    ['revision 0', { ...GOOD, revision: 0 }, 'revision: expected'],
    ['a revision as text', { ...GOOD, revision: '1' }, 'revision: expected'],
    ['a comment that is no text', { ...GOOD, comment: {} }, 'comment: expected'],
    ['a comment that is too long', { ...GOOD, comment: 'x'.repeat(2001) }, 'at most 2000'],
    ['an unknown key', { ...GOOD, approved: true }, 'unknown key "approved"'],
    ['a kind that contradicts the name', { ...GOOD, kind: 'reject' }, 'named "approve"'],
  ])('and refused with a reason: %s', (_, payload, reason) => {
    const parsed = parseDecision(payload, 'approve');
    expect(parsed.ok ? '' : parsed.reason).toContain(reason);
  });

  test.each(['yes', 'APPROVE', '', undefined, 1])('and refused without a known kind: %j', (kind) => {
    expect(parseDecision({ ...GOOD, kind })).toMatchObject({ ok: false });
  });

  test('and never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything(), (payload) => {
        parseDecision(payload);
        parseDecision(payload, 'approve');
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});
