/** Workers that are killed while they notify. 50 kills are in test/faults; each takes seconds, until another worker takes over. */

import { test } from 'vitest';
import { killWorkers } from './killed-workers.ts';
import { createRandom } from '../../faults/random.ts';

test('every open item arrives, with one id, from workers that are killed', async () => {
  await killWorkers(1, createRandom(7));
});
