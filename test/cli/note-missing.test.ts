/** Whether it is said that no worker has the version that was approved. */

import { expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { missingAt } from '../../src/cli/working/note-missing.ts';
import { workerIdentity } from '../../src/worker/index.ts';
import { echo, ids } from '../support/capabilities.ts';

const registry = createRegistry([{ ...ids, name: 'pay', version: '2', effect: 'at-most-once' }, echo]);
const own = workerIdentity(registry, '1@here');
const other = workerIdentity(createRegistry([echo]), '2@here');
const OLD = 'capability pay@1 at-most-once on account-7';

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['the approved version is gone', [own, own], [OLD, 'operator'], ['pay@1']],
  ['the capability is gone', [own], ['capability ship@3 idempotent'], ['ship@3']],
  ['it is there', [own], ['capability pay@2 at-most-once on account-7'], []],
  ['another worker may have it', [own, other], [OLD], []],
  ['a worker says no fingerprint', [own, '3@here'], [OLD], []],
  ['nobody is there, which is told otherwise', [], [OLD], []],
])('%s', (_, workers, labels, missing) => {
  expect(missingAt(workers, labels, { registry })).toEqual(missing);
});
