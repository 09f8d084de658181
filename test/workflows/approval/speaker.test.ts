/** Whose word counts: roles, the keys of persons, and that the starter and the editors do not count. */

import type { Consent, ApprovalSubject } from '../../../src/workflows/approval/state.ts';
import { describe, expect, test } from 'vitest';
import { type ApprovalRule, type PublicKeys, missingApprovalText, parseRules } from '../../../src/protocol/index.ts';
import { isCovered, missingFor, missingIn, effectOfConsent } from '../../../src/workflows/approval/coverage.ts';
import { unsatisfiable } from '../../../src/workflows/approval/rules.ts';
import { AT, executor } from '../run/make-run.ts';

const gateOf = (rules: readonly ApprovalRule[], authors?: readonly string[]): ApprovalSubject => ({
  plan: { inputs: [[], []], executors: [executor('at-most-once', 'pay'), executor('read')], executorOf: [0, 1] },
  rules,
  deadlineMs: 1,
  ...(authors !== undefined && { authors }),
});
const by = (person: string, over: Partial<Consent> = {}): Consent => ({
  by: person,
  person,
  at: AT,
  nodes: 'all',
  ...over,
});
const KEY = { personKey: true } as const;

describe('a consent', () => {
  const person: ApprovalRule = { person: true };
  const other: ApprovalRule = { notStarter: true };
  const both: ApprovalRule = { person: true, notStarter: true, roles: ['safety'] };
  test.each<[name: string, rules: ApprovalRule[], authors: string[] | undefined, consent: Consent, told: string]>([
    ["with a person's key", [person], undefined, by('a', KEY), 'counts'],
    ['with another key', [person], undefined, by('a'), 'key'],
    ['of somebody else than the starter', [other], ['starter'], by('a'), 'counts'],
    ['of the starter', [other], ['starter'], by('starter'), 'starter'],
    ['of an editor', [other], ['starter', 'editor'], by('editor', KEY), 'starter'],
    ['where nobody knows who started it', [other], undefined, by('a', KEY), 'starter'],
    [
      'in the right role, with the right key, of another',
      [both],
      ['starter'],
      by('a', { role: 'safety', ...KEY }),
      'counts',
    ],
    ['in another role', [both], ['starter'], by('a', KEY), 'role'],
    ['in the right role with another key', [both], ['starter'], by('a', { role: 'safety' }), 'key'],
    ['of the starter in the right role', [both], ['starter'], by('starter', { role: 'safety', ...KEY }), 'starter'],
    ['that one of two rules counts', [{}, person], undefined, by('a'), 'counts'],
  ])('%s', (_, rules, authors, consent, told) => {
    const gate = gateOf(rules, authors);
    expect(effectOfConsent(consent, [0, 1], gate, [])).toBe(told);
    const isEnough = rules.length === 1 && told === 'counts';
    expect(isCovered(0, gate, [consent])).toBe(isEnough);
  });

  test('is given once a person: two keys of one person are not two people', () => {
    const gate = gateOf([{ count: 2 }]);
    expect(isCovered(0, gate, [by('a'), by('a', KEY)])).toBe(false);
    expect(effectOfConsent(by('a', KEY), [0], gate, [by('a')])).toBe('again');
    expect(isCovered(0, gate, [by('a'), by('b')])).toBe(true);
  });
});

describe('the missing approvals', () => {
  test.each<[rules: ApprovalRule[], consents: Consent[], told: string[]]>([
    [[{}], [], ['1 approval']],
    [[{ count: 3 }], [by('a')], ['2 more approvals']],
    // Whoever speaks in the role meets the rule for anybody as well.
    [[{}, { roles: ['safety'] }], [], ['1 approval in the role safety']],
    [[{}, {}], [], ['1 approval']],
    [[{ count: 2 }, { roles: ['ops', 'safety'] }], [by('a')], ['1 approval in the role ops or safety']],
    [
      [{ count: 2 }, { roles: ['safety'], person: true, notStarter: true }],
      [],
      [
        '2 approvals',
        "1 approval in the role safety, signed with a person's key, by somebody whose words are not in the plan",
      ],
    ],
    [[{ effect: 'idempotent' }], [by('a')], []],
  ])('of %j after %j', (rules, consents, told) => {
    expect(missingFor([0], gateOf(rules, ['starter']), consents).map(missingApprovalText)).toEqual(told);
  });

  test('of several nodes are those of each kind of node, once', () => {
    const gate = gateOf([{ effect: 'read' }, { effect: 'at-most-once', roles: ['ops'] }]);
    expect(missingFor([0, 1, 0], gate, []).map(missingApprovalText)).toEqual([
      '1 approval in the role ops',
      '1 approval',
    ]);
  });

  test('name eight roles, and count the rest', () => {
    const roles = Array.from({ length: 10 }, (_, at) => `r${at}`);
    expect(missingApprovalText({ count: 1, of: 1, roles })).toMatch(/r0 or r1 .*r7 or 2 others$/);
  });
});

describe('whoever may still decide', () => {
  const key = (subject: string | undefined, over: object = {}) => ({ x: 'x', ...(subject && { subject }), ...over });
  const keys = {
    a: key('Operator', { person: true }),
    b: key('director', { person: true, roles: ['safety'] }),
    c: key('robot', { roles: ['safety'] }),
  };
  const other: ApprovalRule = { notStarter: true };
  test.each<[rule: ApprovalRule, keys: PublicKeys, consents: Consent[], told: string]>([
    [
      other,
      keys,
      [],
      '1 approval, which may come from director or robot, not from operator or editor, whose words are in the plan',
    ],
    [
      { ...other, person: true, roles: ['safety'] },
      keys,
      [],
      "1 approval in the role safety, signed with a person's key, which may come from director, not from operator or editor, whose words are in the plan",
    ],
    [{ person: true }, keys, [], "1 approval, signed with a person's key, which may come from Operator or director"],
    [
      { ...other, count: 2 },
      keys,
      [by('director')],
      '1 more approval, which may come from robot, not from operator or editor, whose words are in the plan',
    ],
    [
      { ...other, roles: ['safety'], count: 3 },
      keys,
      [],
      "3 approvals in the role safety, which may come from director or robot alone of those whom the project's keys name, " +
        "not from operator or editor, whose words are in the plan: add somebody else's key to identity.keys and sign with it, " +
        'or reject the plan and have somebody else start it',
    ],
    [
      other,
      { a: key('operator') },
      [],
      "1 approval, which may come from nobody of those whom the project's keys name, not from operator or editor, whose words are in the " +
        "plan: add somebody else's key to identity.keys and sign with it, or reject the plan and have somebody else start it",
    ],
    [
      other,
      { a: key('operator'), service: key(undefined) },
      [],
      "1 approval, which may come from anybody else whom an authority's key names, not from operator or editor, whose words are in the plan",
    ],
    [{ roles: ['safety'] }, keys, [], '1 approval in the role safety'],
  ])('by the rule %j', (rule, known, consents, told) => {
    const approval = { subject: gateOf([rule], ['operator', 'editor']), consents };
    expect(missingIn(approval, [0], known).map(missingApprovalText)).toEqual([told]);
  });

  test('is told to nobody where no keys prove who speaks', () => {
    const approval = { subject: gateOf([{ count: 2 }]), consents: [] };
    expect(missingIn(approval, [0], undefined)).toEqual([{ count: 2, of: 2 }]);
  });
});

describe('rules that nobody can meet', () => {
  const keys = { a: { person: true }, b: {} };
  test.each<[ApprovalRule[], Parameters<typeof unsatisfiable>[1], string | undefined]>([
    [[{ person: true }], keys, undefined],
    [[{ person: true }], { b: {} }, 'no key under identity.keys is marked person: true'],
    [[{ person: true }], undefined, 'no key under identity.keys is marked person: true'],
    [[{ notStarter: true }], { b: {} }, undefined],
    [[{ notStarter: true }], undefined, 'only a signature proves who that is; add identity.keys'],
    [[{ count: 2 }], undefined, undefined],
  ])('%j with %j', (rules, given, told) => {
    const found = unsatisfiable(rules, given);
    expect(told === undefined ? found : found?.includes(told)).toBe(told === undefined ? undefined : true);
  });

  test.each([false, 'yes', 1, null])('a rule says true or nothing, not %j', (value) => {
    const problems: string[] = [];
    parseRules([{ person: value, notStarter: value }], '$', problems);
    expect(problems).toEqual([
      expect.stringContaining('$[0].person: expected true, or nothing'),
      expect.stringContaining('$[0].notStarter: expected true, or nothing'),
    ]);
  });
});
