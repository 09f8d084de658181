/** What is stored of a plan and was changed since, in any byte: no worker runs a node of it. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { refOfDigest } from '../../src/store/index.ts';
import { ids } from '../support/capabilities.ts';
import { combine, task } from '../support/plans.ts';
import { failureOf, openActivities, type ActivityRig } from './rig.ts';

const document = { goal: 'Count', plan: combine('UNION', task('ids', { ids: ['a'] }), task('ids', { ids: ['b'] })) };

async function stored() {
  const rig = await openActivities([ids]);
  const { digest, revisionRef } = await rig.compiled(document);
  const pathOf = rig.fileOf;
  const contents = { plan: await rig.results.get(refOfDigest(digest)), revision: await rig.results.get(revisionRef) };
  return {
    rig,
    contents,
    revision: revisionRef,
    files: { plan: pathOf(refOfDigest(digest)), revision: pathOf(revisionRef) },
  };
}

/** What a worker that has read nothing yet says to the first node. */
async function verdict(rig: ActivityRig, revision: string): Promise<string> {
  return String(
    (await failureOf(rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] }, { fresh: true }))).type,
  );
}

describe.each(['plan', 'revision'] as const)('a stored %s that was changed runs nothing', (which) => {
  test('whichever byte it was', async () => {
    const { rig, revision, files, contents } = await stored();
    const bytes = await readFile(files[which]);
    const verdicts = new Set<string>();
    const from = bytes.indexOf(contents[which]);
    // A step that meets every part of the content, and each of its lengths of numbers.
    for (let at = from; at < from + contents[which].length; at += 7) {
      for (const mask of [0x01, 0x20, 0x80]) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= mask;
        await writeFile(files[which], changed);
        verdicts.add(await verdict(rig, revision));
      }
    }
    expect(contents[which].length).toBeGreaterThan(100);
    expect([...verdicts]).toEqual(['ResultCorrupt']);
  });

  test('a file that is gone is waited for', async () => {
    const { rig, revision, files } = await stored();
    await rm(files[which]);
    expect(await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] }, { fresh: true })).toMatchObject({
      deferred: 'fault',
      reason: expect.stringMatching(/^the store: NO_PLAN\. .*Give the workers the right one/) as string,
    });
  });
});
