import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../../../src/plan/issues/index.ts';

const NAMES = ['search', 'search-genes', 'rank', 'summarise', 'ask'];

test.each([
  ['serach', 'search'],
  ['Search', 'search'],
  ['search genes', 'search-genes'],
  ['searchgenes', 'search-genes'],
  ['summarize', 'summarise'],
  ['rnak', 'rank'],
  ['aks', 'ask'],
  ['a', undefined],
  ['', undefined],
  ['xyz', undefined],
  ['delete everything', undefined],
  ['s'.repeat(1_000_000), undefined],
])('%s', (written, nearest) => {
  expect(nearestName(written, NAMES)).toBe(nearest);
});

test('a sentence, or nothing', () => {
  expect(didYouMean('serach', NAMES)).toBe(' Did you mean "search"?');
  expect(didYouMean('xyz', NAMES)).toBe('');
});
