/** Yes and no as people write them in a chat, and everything else, which is neither. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readYesNo } from '../../../../src/workflows/run/talk/read-message.ts';

const YES = ['yes', 'y', 'yep', 'yeah', 'ok', 'okay', 'approve'];
const NO = ['no', 'n', 'nope', 'nah', 'cancel', 'reject'];

describe('Osprey: answer detection', () => {
  test.each(YES)('%s is yes', (word) =>
    expect(spellings(word).map(readYesNo)).toEqual(spellings(word).map(() => 'yes')),
  );
  test.each(NO)('%s is no', (word) => expect(spellings(word).map(readYesNo)).toEqual(spellings(word).map(() => 'no')));

  test.each([
    ...[
      '',
      ' ',
      '.',
      '?',
      'yes please',
      'yes, but not now',
      'I have no objection',
      'not yes',
      'no problem',
      'yesno',
      'y n',
    ],
    ...[
      'sure',
      'go',
      'approve it but use 10',
      'true',
      '1',
      'ja',
      'да',
      'yes,',
      '¡yes',
      '"yes"',
      'okey',
      'ye',
      'noo',
      'cancelled',
      'yes\nno',
    ],
  ])('Osprey: unclear answers: %j asks again', (text) => expect(readYesNo(text)).toBe('unclear'));

  test('no other text is ever taken for an answer', () => {
    const near = fc.mixedCase(fc.stringMatching(/^[yesnokacp .!?,']{0,8}$/));
    fc.assert(
      fc.property(fc.oneof(near, fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        // The word alone, with spaces around it and with . ! ? right behind it.
        const word = /^\s*([a-z]+)[.!?]*\s*$/i.exec(text)?.[1]?.toLowerCase() ?? '';
        const expected = YES.includes(word) ? 'yes' : NO.includes(word) ? 'no' : 'unclear';
        expect(readYesNo(text)).toBe(expected);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});

function spellings(word: string): string[] {
  return [word, word.toUpperCase(), `  ${word}\n`, `${word}.`, `${word}!?`, ` ${word}... `];
}
