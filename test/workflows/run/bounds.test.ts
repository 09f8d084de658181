/** One beyond each bound of what a run takes, keeps and shows: docs/bounds.md says what happens then. */

import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { failureConverter } from '../../../src/workflows/failure-converter.js';
import { payloadConverter } from '../../../src/workflows/payload-converter.js';
import { isInVain, nextBackoff } from '../../../src/workflows/run/backoff.ts';
import { parsePlanInput } from '../../../src/protocol/read-input.ts';
import { makeHandOver, lateArrivals } from '../../../src/workflows/run/hand-over.ts';
import { parseControl } from '../../../src/workflows/run/talk/read-message.ts';
import { approvedRun, AT, later, openedRun, shapeOf, underWay, wideShape } from './make-run.ts';

const long = (length: number) => 'x'.repeat(length);
const DAY = 86_400_000;

describe('the input of a run', () => {
  const PLAN = { type: 'task', task: 'A' };
  const problemsOf = (input: object) => {
    const parsed = parsePlanInput(input);
    return parsed.ok ? [] : parsed.problems;
  };

  test.each<[string, number, (most: number) => object]>([
    ['concurrency', 1000, (concurrency) => ({ plan: PLAN, options: { concurrency } })],
    ['goal', 20_000, (length) => ({ goal: long(length) })],
    ['maxRounds', 10_000, (maxRounds) => ({ goal: 'g', options: { maxRounds } })],
    ['conversation', 200, (length) => ({ plan: PLAN, options: { conversation: long(length) } })],
    ['reuse', 1000, (length) => ({ plan: PLAN, options: { reuse: long(length) } })],
    ['maxRevisions', 100, (maxRevisions) => ({ plan: PLAN, options: { maxRevisions } })],
    ['maxRejections', 100, (maxRejections) => ({ plan: PLAN, options: { maxRejections } })],
    ['approvalDeadline', 365 * DAY, (approvalDeadline) => ({ plan: PLAN, options: { approvalDeadline } })],
  ])('%s is refused above %i', (name, most, input) => {
    expect(problemsOf(input(most))).toEqual([]);
    expect(problemsOf(input(most + 1))).toEqual([expect.stringContaining(name)]);
  });
});

test('what is begun at once of 101 nodes that are ready 100 are at work', () => {
  expect(underWay(approvedRun(wideShape(101)))).toHaveLength(100);
});

test.each([
  ['a name', { action: 'pause', by: long(201) }, 'by: expected the name of who says it, at most 200'],
  ['a role', { action: 'pause', by: 'operator', role: long(201) }, 'role: expected a text of at most 200'],
])('a message with %s of 201 characters is refused', (_, message, reason) => {
  expect(parseControl(message)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) as string });
});

test.each([
  ['run', 98, 0, false],
  ['run', 99, 0, true],
  ['version', 1, 599_999, false],
  ['version', 1, 600_000, true],
] as const)('a node that is deferred by %s %i times before, and after %i ms', (cause, attempts, ms, isOver) => {
  const deferral = { deferred: cause, reason: 'r' } as const;
  const first = nextBackoff(undefined, deferral, AT);
  const next = nextBackoff({ ...first, attempt: attempts }, deferral, later(ms));
  expect(isInVain('node', next, later(ms))).toBe(isOver);
});

describe('what a run hands over', () => {
  test('goes into the store above 65,536 characters', () => {
    const saves = (characters: number) => {
      return makeHandOver(openedRun(shapeOf([[]], { goal: long(characters) }))).pages.length > 0;
    };
    expect([saves(30_000), saves(65_536)]).toEqual([false, true]);
  });

  test('waits for a turn where more than 524,288 bytes have arrived beside it', () => {
    const handed = (bytes: number) => {
      const late = [{ is: 'message', text: '' }];
      late[0]!.text = long(bytes - JSON.stringify(late).length);
      return lateArrivals(late as never, 0, 0);
    };
    expect([handed(524_288), handed(524_289)]).toEqual([[expect.anything()], 'too-much']);
  });
});

test('a payload that cannot be decoded says so in 200 characters', () => {
  const encoding = new TextEncoder().encode(long(201));
  const marker = payloadConverter.fromPayload({ metadata: { encoding }, data: new Uint8Array() });
  expect(marker).toMatchObject({ malformed: true, encoding: long(200) });
  expect((marker as { reason: string }).reason.length).toBe(200);
});

test('a failure has details of 1 MiB, and above that says how long they are', () => {
  const told = (bytes: number) => {
    const failure = ApplicationFailure.create({ message: 'm', details: [long(bytes - 2)] });
    const { applicationFailureInfo } = failureConverter.errorToFailure(failure, defaultPayloadConverter);
    return Buffer.from(applicationFailureInfo?.details?.payloads?.[0]?.data ?? []).toString();
  };
  expect(told(2 ** 20)).toHaveLength(2 ** 20);
  expect(told(2 ** 20 + 1)).toContain('"details of 1048577 bytes; a failure takes 1048576 at most"');
});

test.each([
  [0, 5],
  [3, 5],
  [4, 10],
  [28, 640],
  [32, 640],
])('where messages never cease, after %i tasks %i of them are few', (tasks, few) => {
  const of = (count: number) =>
    lateArrivals(Array.from({ length: count }, () => ({ is: 'message' })) as never, 0, tasks);
  expect([of(few).length, of(few + 1)]).toEqual([few, 'more']);
});
