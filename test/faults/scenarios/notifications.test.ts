/** Notifications by workers that are killed at random. */

import { test } from 'vitest';
import { killWorkers } from '../../config/notify/killed-workers.ts';
import { createRandom } from '../random.ts';

test('every open item arrives, with one id, whatever is killed', { timeout: 900_000 }, async () => {
  await killWorkers(50, createRandom(50));
});
