/** What `planwright inbox` says of the runs that it knows nothing of. */

import { expect, test } from 'vitest';
import { missingOfInbox as missing } from '../../src/operations/words/index.ts';

test('runs that are silent for one reason are named together', () => {
  const unreachable = [
    { workflowId: 'a', taskQueue: 'q', reason: 'no worker on task queue q' },
    { workflowId: 'b', taskQueue: 'r', reason: 'no worker on task queue r' },
    { workflowId: 'c', taskQueue: 'q', reason: 'no worker on task queue q' },
  ];
  expect(missing({ items: [], more: 0, groups: [], unreachable, notAsked: 2 })).toEqual([
    'no answer from a, c (no worker on task queue q); b (no worker on task queue r)',
    '2 running runs were not asked, since so many are not asked at once',
  ]);
});
