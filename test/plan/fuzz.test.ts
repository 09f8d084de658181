import { expect, test } from 'vitest';
import { faultOf, fuzzDocument } from '../../bench/fuzz-documents.ts';
import { randomFrom } from '../../bench/random.ts';

test('2,000 documents that nobody would write: nothing throws, and every plan is what it prints', () => {
  const random = randomFrom(7);
  for (let index = 0; index < 2_000; index++) {
    const document = fuzzDocument(random);
    const fault = faultOf(document);
    // How long it takes is measured by `npm run fuzz`, on a machine that does nothing else.
    if (fault !== undefined && !fault.startsWith('it took'))
      expect.fail(`document ${index}: ${fault}\n${document.text}`);
  }
});
