/** What a person at a terminal can choose about a plan. */

import { expect, test } from 'vitest';
import { decisionChoices } from '../../src/cli/reading/answers.ts';

const offered = (question: Parameters<typeof decisionChoices>[0]) =>
  decisionChoices(question).map(({ label, value }) => [label, value]);

test.each([
  ['a plan that anybody may approve', {}, [['approve', { kind: 'approve' }]]],
  [
    'one that waits for a role',
    { roles: ['operator'] },
    [['approve as operator', { kind: 'approve', role: 'operator' }]],
  ],
  [
    'one that waits for one of two',
    { roles: ['operator', 'safety\u202e'] },
    [
      ['approve as operator', { kind: 'approve', role: 'operator' }],
      ['approve as safety\\u202e', { kind: 'approve', role: 'safety\u202e' }],
    ],
  ],
] as const)('%s is approved in what it waits for, or rejected', (_, question, approvals) => {
  expect(offered(question)).toEqual([...approvals, ['reject', { kind: 'reject' }]]);
});

test('another kind of decision is offered alone', () => {
  expect(offered({ kind: 'withdraw', roles: ['operator'] })).toEqual([['withdraw', { kind: 'withdraw' }]]);
});
