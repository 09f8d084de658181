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

function heard(deltas: readonly string[], ends = true): (readonly [string, string])[] {
  const feedback: Feedback[] = [];
  const reading = createFeedback((one) => feedback.push(one));
  for (const delta of deltas) reading.add(delta);
  if (ends) reading.end();
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
    expect(heard([REPLY.slice(0, end)], false)).toHaveLength(1);
    expect(heard([REPLY.slice(0, end + 1)], false)).toHaveLength(2);
  });

  test('tells a node after what it takes, and once', () => {
    const nodes = [
      { id: 'c', operator: 'UNION', inputs: ['a', 'b'] },
      { id: 'b', task: 'B', inputs: ['a'] },
      { id: 'a', task: 'A' },
      { id: 'a', task: 'again' },
    ];
    expect(heard([JSON.stringify({ nodes })]).map(([, text]) => text)).toEqual(['a: A', 'b: B', 'c: a UNION b']);
  });
});

describe('Calute: XML plans: are told while they are written', () => {
  const step = (id: string, inside: string) => `<step id="${id}">${inside}<action>act</action></step>\n`;
  const XML = `Here it is:\n<plan><objective>x</objective>
${step('1', '<agent>writer</agent><dependencies>2</dependencies><description>A &amp; B</description>')}
${step('2', '<capability>search</capability><dependencies></dependencies>')}</plan>`;

  test('each step after those that it takes, wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: XML.length }), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), XML.length];
        const lines = heard(at.slice(1).map((end, index) => XML.slice(at[index], end)));
        expect(lines).toEqual([
          ['node', '2: act (search)'],
          ['node', '1: A & B (writer)'],
        ]);
      }),
    );
  });

  test('a step without an id, and a half one, are passed over', () => {
    expect(heard(['<plan><step><action>a</action></step><step id="1"><action>b'])).toEqual([]);
  });
});
