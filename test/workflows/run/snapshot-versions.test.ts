/** The form in which a run is written down has a number, and every earlier form is read. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunSlice } from '../../../src/protocol/index.ts';
import { nodesOf, statusOf } from '../../../src/workflows/views/views.ts';
import { resumeRun, snapshotOf, SNAPSHOT_VERSION } from '../../../src/workflows/run/snapshot.ts';
import { readPacked, writePacked } from '../../support/packed-json.ts';
import { ROOT } from '../../support/source-files.ts';
import { BUSY_SLICE, busyRun, fullRun } from './full-run.ts';

const FOLDER = join(ROOT, 'test/fixtures/snapshots');
const KEYS = join(FOLDER, 'keys.json');
const isUpdating = process.env['UPDATE_GOLDEN'] === '1';
const MAKERS = { busy: busyRun, full: fullRun };

interface Recorded {
  readonly version: number;
  readonly snapshot: object;
  readonly slice: RunSlice;
}

if (isUpdating) {
  for (const [name, make] of Object.entries(MAKERS)) {
    const recorded = {
      version: SNAPSHOT_VERSION,
      snapshot: JSON.parse(snapshotOf(make())) as object,
      slice: BUSY_SLICE,
    };
    writePacked(join(FOLDER, `${name}-${SNAPSHOT_VERSION}.json.gz`), recorded);
  }
}

const recordings = readdirSync(FOLDER).filter((file) => /-\d+\.json\.gz$/.test(file));
const read = (file: string) => readPacked(join(FOLDER, file)) as Recorded;
const again = ({ snapshot, slice }: Recorded) => resumeRun('plan-1', JSON.stringify(snapshot), slice);

/** The path of every key, lists and maps by what stands in them. */
function pathsIn(value: unknown, path = '$', found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, one] of Object.entries(value)) {
    const inner = Array.isArray(value) ? `${path}[]` : `${path}.${key}`;
    if (!Array.isArray(value)) found.add(inner);
    pathsIn(one, inner, found);
  }
  return found;
}

function hashOf(snapshot: object): string {
  return createHash('sha256')
    .update([...pathsIn(snapshot)].toSorted().join('\n'))
    .digest('hex');
}

test('the keys that are written are those of the number', () => {
  const known = JSON.parse(readFileSync(KEYS, 'utf8')) as Record<string, string>;
  const now = hashOf(JSON.parse(snapshotOf(fullRun())) as object);
  if (isUpdating) writeFileSync(KEYS, `${JSON.stringify({ ...known, [SNAPSHOT_VERSION]: now }, undefined, 2)}\n`);
  else if (known[SNAPSHOT_VERSION] !== now)
    expect.fail(
      `a snapshot has other keys than those of version ${SNAPSHOT_VERSION}: raise SNAPSHOT_VERSION where that version was ` +
        'released, then run UPDATE_GOLDEN=1 npx vitest run --project unit test/workflows/run/snapshot-versions.test.ts',
    );
});

describe('a recorded snapshot', () => {
  test('of every version is there', () => {
    const versions = Array.from({ length: SNAPSHOT_VERSION }, (_, before) => before + 1);
    expect(new Set(recordings.map((file) => read(file).version))).toEqual(new Set(versions));
    expect(Object.keys(JSON.parse(readFileSync(KEYS, 'utf8')) as object)).toEqual(versions.map(String));
  });

  test.each(recordings)('%s is taken up as the same run is that is written down today', (file) => {
    const run = again(read(file));
    const [name] = file.split('-') as [keyof typeof MAKERS];
    const made = resumeRun('plan-1', snapshotOf(MAKERS[name]()), BUSY_SLICE);
    expect(snapshotOf(resumeRun('plan-1', snapshotOf(run), BUSY_SLICE))).toBe(snapshotOf(run));
    expect(nodesOf(run)).toEqual(nodesOf(made));
    // What came with a later version an earlier one does not have.
    if (name === 'full' && !file.includes(`-${SNAPSHOT_VERSION}.`)) return;
    expect(snapshotOf(run)).toBe(snapshotOf(made));
    expect(statusOf(run)).toEqual(statusOf(made));
  });

  test('without a fact that came later has it as in a fresh plan', () => {
    const recorded = read('busy-2.json.gz');
    const { execution } = recorded.snapshot as { execution: Record<string, unknown> };
    delete execution['heldBack'];
    delete execution['settling'];
    const run = again(recorded);
    expect([run.execution?.heldBack, run.execution?.settling]).toEqual([new Map(), new Map()]);
  });
});
