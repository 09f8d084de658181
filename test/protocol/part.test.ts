/** Lists of nodes as ranges and ends of nodes in columns: nothing gets lost on the way, and nonsense is refused. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_PART_INPUTS,
  newsIn,
  nodesIn,
  packEnds,
  PART,
  PART_ENDS,
  problemOf,
  rangesOf,
  refsFrom,
  RESULT_KINDS,
  unpackEnds,
  type PartEnd,
} from '../../src/protocol/index.ts';

const REF = /^[\w-]{43}$/;
const indexes = fc.uniqueArray(fc.nat({ max: 300 }), { maxLength: 80 }).map((nodes) => nodes.toSorted((a, b) => a - b));
const refs = fc.stringMatching(REF);
const text = fc.string({ maxLength: 20 });

function problemOfRanges(ranges: unknown): string | undefined {
  return problemOf({ ranges: PART.nodes }, { ranges });
}

describe('ranges', () => {
  test('give back the nodes that they were made of', () => {
    fc.assert(
      fc.property(indexes, (nodes) => {
        const ranges = rangesOf(nodes);
        expect(nodesIn(ranges)).toEqual(nodes);
        expect(problemOfRanges(ranges)).toBeUndefined();
      }),
    );
  });

  test.each([
    [[], ''],
    [[0], '0'],
    [[0, 1, 2, 7], '0-2,7'],
    [[3, 5, 6], '3,5-6'],
  ])('of %j are %j', (nodes, ranges) => {
    expect(rangesOf(nodes)).toBe(ranges);
  });

  test.each([
    ['no text', 7],
    ['no text but a list', [0, 1]],
    ['a sign', '-1'],
    ['a fraction', '1.5'],
    ['a space', '0, 2'],
    ['an open end', '3-'],
    ['a range of three', '1-2-3'],
    ['no range between commas', '1,,2'],
    ['a comma at the end', '1,'],
    ['a range backwards', '5-3'],
    ['a node twice', '3,3'],
    ['nodes that overlap', '0-5,5'],
    ['nodes out of order', '7,2'],
    ['one node too many', '0-8192'],
    ['one node too many in two ranges', '0-4095,5000-9096'],
    ['a range of a billion', '0-999999999'],
    ['a number beyond', '1234567890'],
    ['no number', '0x10'],
    ['a line break at the end', '1\n'],
  ])('with %s are refused', (_, ranges) => {
    expect(problemOfRanges(ranges)).toContain('expected ranges of at most 8192 nodes in rising order, such as');
  });

  test('of anything at all are refused, or name few nodes in rising order', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[\d,-]{0,30}$/),
      fc
        .array(fc.tuple(fc.nat(9000), fc.nat(9000)), { maxLength: 4 })
        .map((all) => all.map((one) => one.join('-')).join(',')),
    );
    fc.assert(
      fc.property(hostile, (ranges) => {
        if (problemOfRanges(ranges) !== undefined) return;
        const nodes = nodesIn(ranges);
        expect(nodes.length).toBeLessThanOrEqual(MAX_PART_INPUTS);
        expect(nodes.every((node, at) => at === 0 || node > (nodes[at - 1] ?? 0))).toBe(true);
      }),
    );
    expect(nodesIn('0-8191')).toHaveLength(MAX_PART_INPUTS);
    expect(problemOfRanges('0-8191')).toBeUndefined();
  });

  test('say whose references follow each other', () => {
    const [a, b] = ['a'.repeat(43), 'b'.repeat(43)];
    expect(refsFrom({ from: '2,5', refs: `${a}${b}` })).toEqual(
      new Map([
        [2, a],
        [5, b],
      ]),
    );
  });
});

const handles = fc.record(
  { ref: refs, kind: fc.constantFrom(...RESULT_KINDS), count: fc.nat(), bytes: fc.nat(), notes: fc.array(text) },
  { requiredKeys: ['ref', 'kind', 'count', 'bytes'] },
);
const allEnds = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 5000 }), handles), { selector: ([node]) => node, maxLength: 40 })
  .map((all) => all.map(([node, handle]) => ({ node, handle })));
const byNode = (ends: readonly PartEnd[]) => ends.toSorted((a, b) => a.node - b.node);
/** On its way through a server. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('ends of nodes', () => {
  test('are the same when they are packed, sent and unpacked', () => {
    fc.assert(
      fc.property(allEnds, indexes, fc.array(text), (ends, alone, barred) => {
        const packed = sent(packEnds(ends, { alone: alone.toReversed(), barred }));
        expect(problemOf(PART_ENDS, packed)).toBeUndefined();
        expect(byNode(unpackEnds(packed))).toEqual(byNode(ends));
        expect([nodesIn(packed.alone ?? ''), packed.barred ?? []]).toEqual([alone, barred]);
      }),
    );
  });

  const whole = packEnds([
    { node: 3, handle: { ref: 'a'.repeat(43), kind: 'set', count: 2, bytes: 9 } },
    { node: 4, handle: { ref: 'b'.repeat(43), kind: 'text', count: 1, bytes: 5 } },
  ]);

  test.each<[string, object]>([
    ['a kind more', { kinds: 'stv' }],
    ['a kind that nothing is', { kinds: 'sx' }],
    ['a count less', { counts: [2] }],
    ['a size less', { bytes: [9] }],
    ['a reference less', { refs: 'a'.repeat(43) }],
    ['half a reference', { refs: 'a'.repeat(60) }],
    ['references of other characters', { refs: '!'.repeat(86) }],
    ['a node less', { nodes: [3] }],
    ['a node below zero', { nodes: [3, -4] }],
    ['notes that are none', { notes: { 3: 'x' } }],
  ])('with %s are refused', (_, done) => {
    expect(problemOf(PART_ENDS, whole)).toBeUndefined();
    expect(problemOf(PART_ENDS, { ...whole, done: { ...whole.done, ...done } })).toBeTypeOf('string');
  });

  test('of any shape are refused, or unpacked', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        if (problemOf(PART_ENDS, value) === undefined) unpackEnds(value as never);
      }),
    );
    for (const value of [undefined, null, [], {}, 'x']) expect(problemOf(PART_ENDS, value)).toBeTypeOf('string');
  });
});

describe('news', () => {
  const ends = packEnds([], { alone: [1] });
  const isWord = (word: string) => word === 'secret';

  test.each<[string, unknown, boolean]>([
    ['with the key', { key: 'secret', ends }, true],
    ['with another key', { key: 'guess', ends }, false],
    ['without a word', { ends }, false],
    ['with a key that is no text', { key: ['secret'], ends }, false],
    ['without ends', { key: 'secret' }, false],
    ['with half of the ends', { key: 'secret', ends: { alone: '1' } }, false],
    ['that is none', null, false],
  ])('%s is heard: %s', (_, message, isHeard) => {
    expect(newsIn(message, isWord)).toEqual(isHeard ? message : undefined);
  });
});
