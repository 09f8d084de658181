/** One beyond each bound of clients, workers and the command line: docs/bounds.md says what happens then. */

import { refOfBytes } from '../../src/store/index.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { documentToSend } from '../../src/client/run-handle.ts';
import { findRuns } from '../../src/client/reach/index.ts';
import { importDefault } from '../../src/config/import-config.ts';
import { testFolder } from '../support/folders.ts';

const PLACE = { address: '127.0.0.1:7233', namespace: 'default', taskQueue: 'planwright' };
const { store } = createMemoryStore();

test('a document of 2049 bytes travels by reference', async () => {
  expect(await documentToSend('x'.repeat(2048), store)).toHaveProperty('plan');
  expect(await documentToSend('x'.repeat(2049), store)).toEqual({ ref: refOfBytes(Buffer.from('x'.repeat(2049))) });
});

/** A double of a server that lists so many runs, each of which waits for one thing. */
function serving(runs: number) {
  const deadlines: number[] = [];
  const client = {
    connection: {
      withDeadline: (at: number, call: () => unknown) => (deadlines.push(at - Date.now()), call()),
      operatorService: { listSearchAttributes: () => Promise.resolve({}) },
    },
    workflowService: {
      describeTaskQueue: () =>
        Promise.resolve({
          pollers: [64_000, 66_000].map((ago) => ({
            identity: `at ${ago}`,
            lastAccessTime: { seconds: { toNumber: () => (Date.now() - ago) / 1000 }, nanos: 0 },
          })),
        }),
    },
    workflow: {
      count: () => Promise.resolve({ count: runs }),
      async *list() {
        for (let at = 0; at < runs; at++) yield { type: 'plan', taskQueue: 'q', workflowId: `run-${at}` };
      },
    },
  };
  return { client: client as never, deadlines };
}

test('of 1001 runs the inbox asks 1000', async () => {
  const { runs, notAsked } = await findRuns(serving(1001).client, PLACE, undefined);
  expect([runs.length, notAsked]).toEqual([1000, 1]);
});

test('loading a config is given up after 60 seconds', async () => {
  const folder = testFolder('config');
  const file = join(folder, 'planwright.config.mjs');
  await writeFile(file, 'export default {}');
  const timer = vi.spyOn(globalThis, 'setTimeout');
  await importDefault(file);
  const times = timer.mock.calls.map(([, ms]) => ms);
  timer.mockRestore();
  expect(times).toEqual(expect.arrayContaining([60_000]));
});
