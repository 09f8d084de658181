import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAnswer } from '../../src/run/answer.ts';
import { nextDeadline, passDeadlines } from '../../src/run/deadlines.ts';
import { judge } from '../../src/run/hear.ts';
import { startNext } from '../../src/run/progress.ts';
import { isAsked, type Question } from '../../src/run/question.ts';
import { ask, giveUp, takeDefault } from '../../src/run/questions.ts';
import type { Run } from '../../src/run/run.ts';
import { AT, handle, later, openedRun, progressOf, say, sliceOf } from './make-run.ts';

const WHICH: Question = { text: 'which?' };

/** Three nodes that ask at once, and one that needs the first of them. */
function asking(questions: readonly Question[] = [WHICH, WHICH, WHICH], options: Partial<Run['options']> = {}): Run {
  const run = openedRun(sliceOf([[], [], [], [0]]), { answerDeadlineMs: 1000, ...options });
  say(run, 'approve', { digest: '3fa9c1d2', by: 'ana' });
  for (let node = startNext(progressOf(run)); node !== undefined; node = startNext(progressOf(run))) {
    ask(run, node, questions[node] as Question, AT);
  }
  return run;
}
const answer = (node: number, value: unknown, over: object = {}) => ({
  question: `3fa9c1d2.node_${node}`,
  value,
  by: 'ana',
  ...over,
});

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
      expect(progressOf(run).handles.map((one) => one?.ref)).toEqual(['ref 1', 'ref 2', 'ref 3', undefined]);
      expect(run.questions.size).toBe(0);
    }
  });

  test('keep nobody waiting but who needs them', () => {
    const run = asking();
    say(run, 'answer', answer(1, 'a'));
    expect(startNext(progressOf(run))).toBe(3);
    expect(progressOf(run).counts).toMatchObject({ waiting: 2, running: 1 });
  });

  test('take the same answer twice for one, and another answer for none', () => {
    const run = asking();
    say(run, 'answer', answer(1, 'a'), AT, 'ref a');
    const told = run.trace.entries.length;
    expect(say(run, 'answer', answer(1, 'a', { by: 'ben' }), later(5), 'ref a')).toEqual({
      ok: true,
      reply: `answered so already, by ana at ${AT}`,
    });
    expect(run.trace.entries.length).toBe(told);
    expect(say(run, 'answer', answer(1, 'b'), AT, 'ref b')).toMatchObject({
      ok: false,
      refusal: 'already-answered',
      reason: expect.stringContaining('by ana at'),
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
    ['nobody', { by: '' }, 'malformed', /^by: expected/],
    ['no value', { value: undefined }, 'malformed', /^value: expected the answer/],
    [
      'a role that is not asked',
      { question: '3fa9c1d2.node_2' },
      'wrong-role',
      /asks the role ops; ana spoke in no role/,
    ],
    ['another role', { question: '3fa9c1d2.node_2', role: 'chief' }, 'wrong-role', /ana spoke as chief/],
    ['an unknown key', { answer: 1 }, 'malformed', /unknown key "answer"; known are question, value/],
  ])('refuse %s', (_, over, refusal, reason) => {
    const run = asking([WHICH, { text: 'how?', roles: ['ops'] }, WHICH]);
    expect(say(run, 'answer', answer(1, 'a', over))).toMatchObject({
      ok: false,
      refusal,
      reason: expect.stringMatching(reason),
    });
    expect(run.questions.size).toBe(3);
  });

  test('are answered up to the deadline, not after it', () => {
    expect(say(asking(), 'answer', answer(1, 'a'), later(1000))).toMatchObject({ ok: true });
    expect(say(asking(), 'answer', answer(1, 'a'), later(1001))).toMatchObject({ ok: false, refusal: 'too-late' });
  });

  test('record who, in which role, with which comment; the value is in the store', () => {
    const run = asking();
    say(run, 'answer', answer(1, 'secret', { role: 'ops', comment: 'sure' }), AT, 'ref a');
    const entry = run.trace.entries.at(-1);
    expect(entry).toMatchObject({
      what: 'answer',
      at: AT,
      said: { question: '3fa9c1d2.node_1', by: 'ana', role: 'ops', comment: 'sure', ref: 'ref a', verified: false },
    });
    expect(JSON.stringify(entry)).not.toContain('secret');
  });
});

describe('silence', () => {
  test('takes the default, once it is stored', () => {
    const run = asking([{ ...WHICH, default: 'd', deadlineMs: 300 }, WHICH, WHICH]);
    expect(nextDeadline(run)).toBe(later(300));
    const [due] = passDeadlines(run, later(300));
    expect(due?.id).toBe('3fa9c1d2.node_1');
    expect(passDeadlines(run, later(400))).toEqual([]);
    // While it is stored, nobody can answer any more.
    expect(say(run, 'answer', answer(1, 'a'), later(300))).toMatchObject({ ok: false, refusal: 'too-late' });
    if (due !== undefined) takeDefault(run, due, handle('default'), later(301));
    expect(progressOf(run).handles[0]?.ref).toBe('default');
    expect(run.trace.entries.at(-1)?.text).toContain('its default was taken');
  });

  test.each([
    ['fails the node', 'fail', 'failed'],
    ['asks what is to be done where failures ask', 'ask', 'failed'],
  ] as const)('without a default %s', (_, onFailure, status) => {
    const run = asking(undefined, { onFailure });
    expect(passDeadlines(run, later(1000))).toEqual([]);
    expect(progressOf(run).status.slice(0, 3)).toEqual([status, status, status]);
    expect(run.settling.size).toBe(onFailure === 'ask' ? 3 : 0);
    expect(progressOf(run).status[3]).toBe(onFailure === 'ask' ? 'pending' : 'skipped');
    expect(progressOf(run).failures.get(0)).toMatchObject({
      type: 'Timeout.ANSWER',
      message: `nobody answered until ${later(1000)}: which?`,
    });
  });

  test('leaves a question alone that was answered while its default was stored', () => {
    const run = asking([{ ...WHICH, default: 'd' }, WHICH, WHICH]);
    const [due] = passDeadlines(run, later(1000));
    run.questions.delete('3fa9c1d2.node_1');
    if (due !== undefined) {
      takeDefault(run, due, handle('default'), later(1001));
      giveUp(run, due, later(1001));
    }
    expect(progressOf(run).status[0]).toBe('waiting');
  });
});

test('a question that comes back with the plan of before is a new one', () => {
  const run = asking();
  say(run, 'answer', answer(1, 'a'), AT, 'ref a');
  // The node is not the one of before, but its id is.
  progressOf(run).handles[0] = undefined;
  ask(run, 0, WHICH, AT);
  expect(say(run, 'answer', answer(1, 'a'), AT, 'ref a')).toEqual({ ok: true, reply: 'answered' });
  expect(run.questions.has('3fa9c1d2.node_1')).toBe(false);
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
      { seed: 1, numRuns: 2000 },
    );
  });
});

test('an answer is read without a throw, whatever arrives', () => {
  const run = asking();
  fc.assert(
    fc.property(fc.anything(), (payload) => {
      expect(parseAnswer(payload)).toHaveProperty('ok');
      judge(run, 'answer', payload, false, AT);
    }),
    { seed: 1, numRuns: 2000 },
  );
});
