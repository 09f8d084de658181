/** The reading of a decision: what each kind needs, and what is refused with which reason. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDecision } from '../../../../src/workflows/run/talk/read-message.ts';

const GOOD = { digest: '3fa9c1d2', by: 'operator' };

describe('a decision is read', () => {
  test('with its kind from the name of the message', () => {
    expect(parseDecision(GOOD, 'approve')).toEqual({ ok: true, message: { kind: 'approve', ...GOOD } });
  });

  test('with its kind from the payload, digest in lower case and name trimmed', () => {
    const parsed = parseDecision({ kind: 'reject', digest: '3FA9C1D2', by: ' operator ', comment: 'no' });
    expect(parsed).toEqual({
      ok: true,
      message: { kind: 'reject', digest: '3fa9c1d2', by: 'operator', comment: 'no' },
    });
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
    ['no digest', { by: 'operator' }, 'digest: expected'],
    ['a short digest', { digest: '3fa9', by: 'operator' }, 'digest: expected'],
    ['a digest that is not hex', { digest: 'zzzzzzzz', by: 'operator' }, 'digest: expected'],
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

  const REF = 'a'.repeat(43);
  test.each<[string, object]>([
    ['approve-part', { nodes: ['node_1', 'node_9'] }],
    ['revise', { feedback: 'shorter' }],
    ['edit', { plan: {} }],
    ['edit', { plan: 'text' }],
    ['edit', { ref: REF }],
    ['withdraw', {}],
  ])('with what its kind needs: %s %j', (kind, own) => {
    expect(parseDecision({ ...GOOD, kind, ...own })).toEqual({ ok: true, message: { kind, ...GOOD, ...own } });
  });

  test.each<[string, object, string]>([
    ['approve', { nodes: ['node_1'] }, 'unknown key "nodes"'],
    ['approve', { plan: {} }, 'unknown key "plan"'],
    ['approve', JSON.parse('{"__proto__":{"kind":"approve"}}') as object, 'unknown key "__proto__"'],
    ['approve-part', {}, 'nodes: expected a list of node ids'],
    ['approve-part', { nodes: [] }, 'nodes: expected'],
    ['approve-part', { nodes: 'node_1' }, 'nodes: expected'],
    ['approve-part', { nodes: ['node_0'] }, 'nodes: expected'],
    ['approve-part', { nodes: ['node_1', 1] }, 'nodes: expected'],
    ['approve-part', { nodes: Array.from({ length: 10_001 }, () => 'node_1') }, 'nodes: expected'],
    ['revise', {}, 'feedback: expected'],
    ['revise', { feedback: ' ' }, 'feedback: expected'],
    ['edit', {}, 'plan: an edit carries the new plan'],
    ['edit', { plan: null }, 'plan: an edit carries the new plan'],
    ['edit', { plan: {}, ref: REF }, 'either as "plan" or as "ref"'],
    ['edit', { ref: '../plan' }, 'ref: expected a reference'],
  ])('and refused as %s with %j', (kind, own, reason) => {
    // Spread would set a prototype in place of a key.
    const payload = Object.assign(Object.create(null) as object, GOOD, { kind });
    for (const key of Object.keys(own))
      Object.defineProperty(payload, key, { ...Object.getOwnPropertyDescriptor(own, key) });
    const parsed = parseDecision(payload);
    expect(parsed.ok ? '' : parsed.reason).toContain(reason);
  });

  test('and never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything(), (payload) => {
        parseDecision(payload);
        parseDecision(payload, 'approve');
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
