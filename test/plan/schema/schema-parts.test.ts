import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCase } from '../../../src/plan/schema/schema-parts.ts';
import { RUNS } from '../arbitraries.ts';

/** As validators of JSON Schema read a pattern. */
const reads = (words: readonly string[], text: string): boolean => new RegExp(anyCase(words).pattern, 'u').test(text);

test.each(Array.from('^$\\.*+?()[]{}|/-_& "<>=!:,#~@%'))('%j is a character like any other', (character) => {
  const word = `a${character}b`;
  expect(reads([word], ` ${word.toUpperCase()}\n`)).toBe(true);
  for (const other of ['ab', 'a', 'b', `a${character}${character}b`, `axb`, ''])
    expect(reads([word], other)).toBe(false);
});

test('any words are read in any case, and nothing else is', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), word, (words, other) => {
      for (const each of words) expect(reads(words, `\t${each} `)).toBe(true);
      const isOne = words.some((each) => each.toLowerCase() === other.toLowerCase());
      if (/^[ -~]*$/.test(words.join('') + other)) expect(reads(words, other)).toBe(isOne);
    }),
    RUNS,
  );
});
