import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeDocument } from '../../src/plan/whole-document.ts';

const NODE = { type: 'task', task: 'A' };

test.each<[string, unknown]>([
  ['text, whatever it says', '{"type":"task"}'],
  ['bytes', new TextEncoder().encode('{}')],
  ['a tree', { goal: 'own', plan: NODE }],
  ['a tree without a goal', { plan: NODE }],
  ['a tree without a plan', { goal: 'own', plan: null }],
  ['a list of steps', { objective: 'own', steps: [] }],
  ['steps that are none', { steps: 5 }],
])('%s is a whole document', (_, document) => expect(wholeDocument(document, 'g')).toBe(document));

test.each<[string, unknown]>([
  ['a task', NODE],
  ['a task without a type', { task: 'A' }],
  ['a combine', { op: 'OR', inputs: [NODE, NODE] }],
  ['a node with a key of a document', { ...NODE, plan: 1, steps: [] }],
  ['a node of a kind with a key of a document', { kind: 'task', steps: [] }],
  ['an empty object', {}],
  ['a key of a document that the object only inherits', Object.create({ plan: NODE })],
  ['a list', [NODE]],
  ['a number', 5],
  ['null', null],
  ['nothing', undefined],
])('%s stands under plan, beside the goal', (_, node) => {
  expect(wholeDocument(node, 'g')).toEqual({ goal: 'g', plan: node });
  expect(wholeDocument(node, undefined)).toEqual({ goal: undefined, plan: node });
});

test('what is whole stays whole, of anything', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (value, goal) => {
      const whole = wholeDocument(value, goal);
      expect(wholeDocument(whole, 'another')).toBe(whole);
    }),
  );
});
