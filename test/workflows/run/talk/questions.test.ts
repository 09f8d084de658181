/** Questions that are open at once: who answers what, until when. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAsked, type Question } from '../../../../src/protocol/index.ts';
import { clockText } from '../../../../src/plan/text/index.ts';
import { nextDeadline } from '../../../../src/workflows/run/deadlines.ts';
import { judge } from '../../../../src/workflows/run/talk/judge.ts';
import { openQuestion } from '../../../../src/workflows/run/talk/questions.ts';
import { parseAnswer } from '../../../../src/workflows/run/talk/read-message.ts';
import { AT, BROKE, failed, landed, later, progressOf, say, sayAndWait, turn, underWay, refsOf } from '../make-run.ts';
import { answer, asking, WHICH } from '../asking-run.ts';

describe('questions that are open at once', () => {
  test('are answered in any order, and each answer reaches its own', () => {
    for (const order of [
      [1, 2, 3],
      [1, 3, 2],
      [2, 1, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ]) {
      const run = asking();
      for (const node of order)
        expect(say(run, 'answer', answer(node, node), AT, `ref ${node}`)).toEqual({ ok: true, reply: 'answered' });
      expect(refsOf(progressOf(run).handles)).toEqual({ 0: 'ref 1', 1: 'ref 2', 2: 'ref 3' });
      expect(Object.keys(run.state.questions).length).toBe(0);
    }
  });

  test('keep nobody waiting but who needs them', () => {
    const run = asking();
    say(run, 'answer', answer(1, 'a'));
    expect(underWay(run)).toEqual([3]);
    expect(progressOf(run).counts).toMatchObject({ waiting: 2, running: 1 });
  });

  test('take the same answer twice for one, and another answer for none', () => {
    const run = asking();
    say(run, 'answer', answer(1, 'a'), AT, 'ref a');
    const told = run.state.trace.entries.length;
    expect(say(run, 'answer', answer(1, 'a', { by: 'reviewer' }), later(5), 'ref a')).toEqual({
      ok: true,
      reply: `answered so already, by operator at ${clockText(AT)}`,
    });
    expect(run.state.trace.entries.length).toBe(told);
    expect(say(run, 'answer', answer(1, 'b'), AT, 'ref b')).toMatchObject({
      ok: false,
      refusal: 'already-answered',
      reason: expect.stringContaining('by operator at'),
    });
    expect(progressOf(run).handles[0]?.ref).toBe('ref a');
  });

  test.each<[string, object, string, RegExp]>([
    [
      'an unknown question',
      { question: 'x' },
      'unknown-question',
      /no question x; open are 3fa9c1d2.node_1, 3fa9c1d2.node_2/,
    ],
    ['what every object has', { question: 'constructor' }, 'unknown-question', /no question constructor; open are/],
    ['what every object has by name', { question: '__proto__' }, 'unknown-question', /no question __proto__/],
    ['nobody', { by: '' }, 'malformed', /^by: expected/],
    ['no value', { value: undefined }, 'malformed', /^value: expected the answer/],
    [
      'a role that is not asked',
      { question: '3fa9c1d2.node_2' },
      'wrong-role',
      /asks the role ops; operator spoke in no role/,
    ],
    ['another role', { question: '3fa9c1d2.node_2', role: 'chief' }, 'wrong-role', /operator spoke as chief/],
    ['an unknown key', { answer: 1 }, 'malformed', /unknown key "answer"; known are question, value/],
  ])('refuse %s', (_, over, refusal, reason) => {
    const run = asking([WHICH, { text: 'how?', roles: ['ops'] }, WHICH]);
    expect(say(run, 'answer', answer(1, 'a', over))).toMatchObject({
      ok: false,
      refusal,
      reason: expect.stringMatching(reason),
    });
    expect(Object.keys(run.state.questions).length).toBe(3);
  });

  test('are answered up to the deadline, not after it', () => {
    expect(say(asking(), 'answer', answer(1, 'a'), later(1000))).toMatchObject({ ok: true });
    expect(say(asking(), 'answer', answer(1, 'a'), later(1001))).toMatchObject({ ok: false, refusal: 'too-late' });
  });

  test('record who, in which role, with which comment; the value is in the store', () => {
    const run = asking();
    say(run, 'answer', answer(1, 'secret', { role: 'ops', comment: 'sure' }), AT, 'ref a');
    const entry = run.state.trace.entries.at(-1);
    expect(entry).toMatchObject({
      what: 'answer',
      at: AT,
      said: {
        question: '3fa9c1d2.node_1',
        by: 'operator',
        role: 'ops',
        comment: 'sure',
        ref: 'ref a',
        verified: false,
      },
    });
    expect(JSON.stringify(entry)).not.toContain('secret');
  });

  test('stay open where an answer does not fit or cannot be stored, and each sender is told why', () => {
    const run = asking();
    const [first, second] = [1, 2].map((node) => sayAndWait(run, 'answer', answer(node, 'a')));
    landed(run, first!.work, { ok: false, reason: 'expected a number' });
    failed(run, second!.work, { ...BROKE, status: 'failed' });
    expect(turn(run).replies).toEqual([
      { message: first!.message, reply: { ok: false, refusal: 'wrong-answer', reason: 'expected a number' } },
      {
        message: second!.message,
        reply: { ok: false, refusal: 'failed', reason: 'it could not be carried out: broke' },
      },
    ]);
    expect(Object.keys(run.state.questions).length).toBe(3);
  });
});

test('a question that comes back with the plan of before is a new one', () => {
  const run = asking();
  say(run, 'answer', answer(1, 'a'), AT, 'ref a');
  // The node is not the one of before, but its id is.
  delete progressOf(run).handles[0];
  openQuestion(run, 0, WHICH, AT);
  expect(say(run, 'answer', answer(1, 'a'), AT, 'ref a')).toEqual({ ok: true, reply: 'answered' });
  expect(run.state.questions['3fa9c1d2.node_1'] !== undefined).toBe(false);
});

describe('what an activity returns is a question', () => {
  test.each([
    [{ text: 'which?' }],
    [{ text: '', roles: [], suggestions: [1], schema: {}, deadlineMs: 1, default: null }],
  ])('%j', (asks) => {
    expect(isAsked({ asks })).toBe(true);
  });

  test.each([
    ...[
      undefined,
      null,
      [],
      'which?',
      { text: 1 },
      { text: 'x'.repeat(2001) },
      { text: 'x', deadlineMs: 1e300 },
      { text: 'x', deadlineMs: 0 },
    ],
    ...[
      { text: 'x', deadlineMs: '1h' },
      { text: 'x', roles: 'ops' },
      { text: 'x', roles: [1] },
      { text: 'x', schema: [] },
      { text: 'x', suggestions: {} },
    ],
  ])('not %j', (asks) => expect(isAsked({ asks })).toBe(false));

  test('whatever is one can be asked, told and answered without a throw', () => {
    const value = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 1 }), fc.double(), fc.array(fc.string()));
    fc.assert(
      fc.property(
        fc.record({
          text: fc.oneof(fc.string(), value),
          deadlineMs: value,
          roles: value,
          suggestions: value,
          schema: value,
        }),
        (asks) => {
          if (!isAsked({ asks })) return;
          const run = asking([asks as Question, WHICH, WHICH]);
          say(run, 'answer', answer(1, 1));
          nextDeadline(run);
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });
});

test('an answer is read without a throw, whatever arrives', () => {
  const run = asking();
  fc.assert(
    fc.property(fc.anything(), (payload) => {
      expect(parseAnswer(payload)).toHaveProperty('ok');
      judge(run, 'answer', { payload, verified: false }, AT);
    }),
    { seed: 1, numRuns: 500 },
  );
});
