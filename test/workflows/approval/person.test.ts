/** Who says something: one person, however the name is written, and never nobody. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeName } from '../../../src/workflows/approval/rules.ts';
import { parseAnswer } from '../../../src/workflows/run/talk/read-message.ts';

/** Characters that nobody sees: of every kind that Unicode has, by an example each. */
const UNSEEN = [
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200d', '\u200e', '\u202e'],
  ...['\u2060', '\u2066', '\u2800', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\ufff9', '\u{1d173}', '\u{e0041}'],
  ...['\u{e0100}', '\u0000', '\u0007', '\u001b', '\u0085', '\ud800', '\ue000', '\u{10fffd}', '\uffff', '\u{e01f0}'],
];

describe('one person', () => {
  test.each(UNSEEN.map((mark) => [`U+${mark.codePointAt(0)!.toString(16)}`, mark]))(
    'is one with %s in the name',
    (_, mark) => {
      for (const by of [`${mark}operator`, `oper${mark}ator`, `operator${mark}`, `${mark}${mark} operator ${mark}`]) {
        expect(normalizeName(by)).toBe('operator');
      }
      expect(parseAnswer({ question: 'q', value: 1, by: mark })).toMatchObject({
        reason: expect.stringMatching(/^by: expected the name/) as string,
      });
    },
  );

  test('is one wherever and how often such characters stand between others', () => {
    const names = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
      // Letters that a mark makes another letter of, in one character or in two.
      fc
        .array(fc.constantFrom('e', '\u0301', 'o', '\u0308', 'ﬁ', '가', '\u1100', '\u1161', '\u11a8', 'Å', ' '), {
          minLength: 1,
          maxLength: 6,
        })
        .map((all) => all.join('')),
    );
    const marks = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.constantFrom(...UNSEEN)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(names, marks, (name, all) => {
        const characters = Array.from(name);
        for (const [at, mark] of all) characters.splice(at % (characters.length + 1), 0, mark);
        expect(normalizeName(characters.join(''))).toBe(normalizeName(name));
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  test.each([
    ['Operator', 'OPERATOR'],
    ['  the   operator ', 'the operator'],
    ['the\u00a0operator', 'the operator'],
    ['ｏｐｅｒａｔｏｒ', 'operator'],
    ['e\u0301lise', '\u00e9lise'],
  ])('is one as %j and as %j', (one, other) => expect(normalizeName(one)).toBe(normalizeName(other)));

  test.each([
    ['operator', 'operat0r'],
    ['operator', 'оperator'],
    ['elise', '\u00e9lise'],
    ['the operator', 'theoperator'],
  ])('is not one as %j and as %j', (one, other) => expect(normalizeName(one)).not.toBe(normalizeName(other)));
});
