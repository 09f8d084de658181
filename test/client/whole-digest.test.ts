/** What is signed names the whole digest of its plan, whatever was typed. */

import { expect, test, vi } from 'vitest';
import { withWholeDigest } from '../../src/client/create-run-handle.ts';
import type { Answer, Control, Decision, PlanView } from '../../src/protocol/index.ts';

const DIGEST = '3fa9c1d2'.repeat(8);
const SHOWN = 'abcd1234'.repeat(8);
const openPlan = (digest = DIGEST) => {
  const plan: PlanView = { revision: 1, digest, ref: '', text: '', shown: SHOWN };
  return { view: vi.fn(() => Promise.resolve({ plan } as never)) };
};
const decision = (digest: string): Decision => ({ kind: 'approve', digest, by: 'operator' });

test.each<[string, Decision | Answer | Control, string | undefined]>([
  ['the first digits', decision('3fa9c1d2'), DIGEST],
  ['the first digits in capitals', decision('3FA9C1D2'), DIGEST],
  ['those of another plan, which the run refuses', decision('aaaaaaaa'), 'aaaaaaaa'],
  ['none, of an answer', { question: 'q', value: 1, by: 'operator' }, DIGEST],
  ['none, of what is gated', { action: 'retry-node', node: 'node_1', by: 'operator' }, DIGEST],
])('%s', async (_, message, digest) => {
  expect(await withWholeDigest(message, openPlan())).toEqual({ ...message, digest });
});

test.each<[string, Decision | Control]>([
  ['is whole already', decision('b'.repeat(64))],
  ['only stops something', { action: 'pause', by: 'operator' }],
])('nobody is asked about what %s', async (_, message) => {
  const ask = openPlan();
  expect(await withWholeDigest(message, ask)).toEqual(message);
  expect(ask.view).not.toHaveBeenCalled();
});

test.each([
  ['the first digits', 'ABCD1234', DIGEST, SHOWN],
  ['the first digits, beside a whole digest', 'abcd1234', '3fa9c1d2', SHOWN],
  ['those of something else, which the run refuses', 'ffff1234', '3fa9c1d2', 'ffff1234'],
])('what was shown is named whole too: %s', async (_, shown, digest, whole) => {
  expect(await withWholeDigest({ ...decision(digest), shown }, openPlan())).toEqual({
    ...decision(DIGEST),
    shown: whole,
  });
});

test('a run without a plan is told what was said', async () => {
  expect(await withWholeDigest(decision('3fa9c1d2'), openPlan(''))).toEqual(decision('3fa9c1d2'));
});
