import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { describe, expect, inject, test } from 'vitest';
import { DATA_CONVERTER } from '../../src/worker/index.ts';
import { readPacked } from '../support/packed-json.ts';
import { quietRuntime } from '../support/runtime.ts';

quietRuntime();

const folder = fileURLToPath(new URL('histories/', import.meta.url));
const files = readdirSync(folder);
const read = (file: string) => readPacked(`${folder}${file}`) as History;

interface History {
  events: { activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[];
}

describe('a recorded history replays', () => {
  // The ids of agents' runs are made from it.
  test.each(files)('%s', (file) => replay(read(file), file.replace('.json.gz', '')));

  test('and one that was recorded with other commands does not', async () => {
    const history = read('done.json.gz');
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events) {
      if (scheduled?.activityType.name === 'runTask') scheduled.activityType.name = 'runAnother';
    }
    await expect(replay(history, 'done')).rejects.toThrow(DeterminismViolationError);
  });
});

test('there is a recorded history for every way in which a run can end', () => {
  expect(files).toEqual(
    expect.arrayContaining(
      [
        'done',
        'rejected',
        'expired',
        'failed',
        'partial',
        'cancelled',
        'edited',
        'asked',
        'controlled',
        'resolved',
        'planned',
        'delegated',
        'delegated-agent',
        'continued-1',
        'continued-2',
        'continued-in-pages-2',
        'released-1',
        'released-3',
      ].map((name) => `${name}.json.gz`),
    ),
  );
});

function replay(history: unknown, workflowId: string): Promise<void> {
  return Worker.runReplayHistory(
    { workflowBundle: { codePath: inject('bundlePath') }, dataConverter: DATA_CONVERTER },
    history,
    workflowId,
  );
}
