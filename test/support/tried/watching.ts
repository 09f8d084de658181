/** Bounds of what is watched and released, each with the test that gives more. */

import type { Tried } from '../tried-bounds.ts';

export const TRIED_WATCHING: readonly Tried[] = [
  ['worker/plugin/deployment.ts MOST', 'worker/deployment.test.ts', 'long(201)'],
  ['cli/working/claim-build.ts KNOWN_WITHIN_MS', 'cli/claim-build.test.ts', '15_000 / 100 + 2'],
  ['edge/project/builds.ts MOST_COUNTED', 'cli/claim-build.test.ts', 'length: 1001'],
  ['edge/own-worker/watch-inbox.ts ASKED', 'worker/watch-inbox.test.ts', 'length: 31'],
  ['edge/own-worker/watch-inbox.ts ROUND_MS', 'worker/watch-inbox.test.ts', 'advanceTimersByTimeAsync(30_000)'],
  ['edge/own-worker/watch-inbox.ts MOST_SILENT', 'worker/watch-inbox.test.ts', "['a', 'b', 'c', 'd']"],
  ['edge/own-worker/watch-inbox.ts MOST_RUNS', 'worker/watch-inbox.test.ts', 'length: 1001'],
  ['cli/working/health.ts CHECK_MS', 'cli/health.test.ts', 'advanceTimersByTimeAsync(4999)'],
  ['cli/working/health.ts FRESH_MS', 'cli/health.test.ts', 'Date.now() + 2001'],
  ['cli/working/health.ts CONNECTIONS', 'cli/health.test.ts', 'n < 101'],
  ['cli/working/log.ts MOST_TOLD', 'cli/log.test.ts', "'x'.repeat(4001)"],
];
