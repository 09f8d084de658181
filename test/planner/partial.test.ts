/** A plan told while it is written. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFeedback, type Feedback } from '../../src/planner/index.ts';

const REPLY = JSON.stringify({
  explanation: 'What is up: "not" essential {really}.',
  nodes: [
    { id: 'a', task: 'Find [up] {genes}', capability: 'search', arguments: { text: 'a\\"b', nodes: [{ id: 'z' }] } },
    { id: 'b', task: 'Ask\nthem', agent: 'researcher' },
    { id: 'c', operator: 'MINUS', inputs: ['a', 'b'] },
  ],
});
const LINES = [
  ['explanation', 'What is up: "not" essential {really}.'],
  ['node', 'a: Find [up] {genes} (search)'],
  ['node', 'b: Ask them (researcher)'],
  ['node', 'c: a MINUS b'],
];

function heard(deltas: readonly string[]): (readonly [string, string])[] {
  const feedback: Feedback[] = [];
  const hear = createFeedback((one) => feedback.push(one));
  for (const delta of deltas) hear(delta);
  return feedback.map(({ is, text }) => [is, text]);
}

describe('Calute: streaming feedback', () => {
  test('is the same wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: REPLY.length }), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), REPLY.length];
        expect(heard(at.slice(1).map((end, index) => REPLY.slice(at[index], end)))).toEqual(LINES);
      }),
    );
  });

  test('tells a node as soon as it is whole', () => {
    const end = REPLY.indexOf('},{"id":"b"');
    expect(heard([REPLY.slice(0, end)])).toHaveLength(1);
    expect(heard([REPLY.slice(0, end + 1)])).toHaveLength(2);
  });

  test('tells a node once, in the order of the reply', () => {
    const nodes = [
      { id: 'c', operator: 'UNION', inputs: ['a', 'b'] },
      { id: 'b', task: 'B', inputs: ['a'] },
      { id: 'a', task: 'A' },
      { id: 'a', task: 'again' },
    ];
    expect(heard([JSON.stringify({ nodes })]).map(([, text]) => text)).toEqual(['c: a UNION b', 'b: B', 'a: A']);
  });
});

describe('Calute: XML plans: are told while they are written', () => {
  const step = (id: string, inside: string) => `<step id="${id}">${inside}<action>act</action></step>\n`;
  const XML = `Here it is:\n<plan><objective>x</objective>
${step('1', '<agent>writer</agent><arguments><agent>x</agent></arguments><dependencies>2</dependencies><description>A &amp; B</description>')}
${step('2', '<capability>search</capability><dependencies></dependencies>')}</plan>`;

  test('each step, wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: XML.length }), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), XML.length];
        const lines = heard(at.slice(1).map((end, index) => XML.slice(at[index], end)));
        expect(lines).toEqual([
          ['node', '1: A & B (writer)'],
          ['node', '2: act (search)'],
        ]);
      }),
    );
  });

  test('a step without an id, and a half one, are passed over', () => {
    expect(heard(['<plan><step><action>a</action></step><step id="1"><action>b'])).toEqual([]);
  });
});
