/**
 * Compiles documents that nobody would write, and ends with 1 at the first fault: a compiler that throws or takes over
 * 100 ms, or a plan that is not what it prints.
 *
 *   npm run fuzz             200,000 documents
 *   npm run fuzz -- 1000 7   1,000 documents of the seed 7
 */

import { faultOf, fuzzDocument, MOST_MS } from './fuzz-documents.ts';
import { randomFrom } from './random.ts';

const [documents = 200_000, seed = 20_250] = process.argv.slice(2).map(Number);
const random = randomFrom(seed);
let slow = 0;
for (let index = 0; index < documents; index++) {
  const document = fuzzDocument(random);
  let fault = faultOf(document);
  // Once more: on a busy machine anything takes long now and then.
  if (fault?.startsWith('it took') === true && slow++ < 50) fault = faultOf(document);
  if (fault === undefined) continue;
  process.stderr.write(`document ${index} of the seed ${seed}: ${fault}\n${JSON.stringify(document)}\n`);
  process.exit(1);
}
process.stdout.write(
  `${JSON.stringify({ case: 'fuzz', documents, seed, faults: 0, mostMs: MOST_MS, secondTries: slow })}\n`,
);
