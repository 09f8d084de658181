/**
 * Races over files, a bounded number of rounds each. A thread exchanges a folder for a link that leads out, as fast as it can:
 * no round may read or leave anything outside. They find what single cases do not, and prove no absence.
 */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createSet } from '../../src/plan/algebra/index.ts';
import { base, GENES, put, read, top, useFolders, write } from './files-rig.ts';

useFolders();

const ROUNDS = 300;
const RACES = 30;

/** Takes turns with the folder `in`: it is itself, then a link to `elsewhere`. */
const EXCHANGE = `
const { workerData: { base, elsewhere }, parentPort } = require('node:worker_threads');
const { renameSync, rmSync, symlinkSync } = require('node:fs');
// A writer may make the folder in the moment in which it is not there.
const put = (make) => {
  for (;;) {
    try {
      rmSync(base + '/in', { recursive: true, force: true });
      return make();
    } catch {}
  }
};
parentPort.postMessage('begins');
for (;;) {
  renameSync(base + '/in', base + '/aside');
  put(() => symlinkSync(elsewhere, base + '/in'));
  put(() => renameSync(base + '/aside', base + '/in'));
}`;

/** Does it in each round, while the folder is exchanged; counts how it ended. */
async function whileExchanged(attempt: (round: number) => Promise<string>): Promise<Record<string, number>> {
  const elsewhere = join(top, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'genes.bed'), GENES.replaceAll('g1', 'secret'));
  put('in/genes.bed', GENES);
  const exchanger = new Worker(EXCHANGE, { eval: true, workerData: { base, elsewhere } });
  await new Promise((resolve) => void exchanger.once('message', resolve));
  const counts: Record<string, number> = {};
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const how = await attempt(round).catch(() => 'refused');
      counts[how] = (counts[how] ?? 0) + 1;
    }
  } finally {
    await exchanger.terminate();
  }
  return counts;
}

test('race: nothing is read through a folder that is exchanged for a link', async () => {
  const counts = await whileExchanged(async () =>
    (await read({ path: 'in/genes.bed' })).ids.includes('secret') ? 'escaped' : 'inside',
  );
  expect([counts['escaped'] ?? 0, (counts['inside'] ?? 0) + (counts['refused'] ?? 0)]).toEqual([0, ROUNDS]);
});

test('race: nothing is written or left through a folder that is exchanged for a link', async () => {
  await whileExchanged(async (round) => {
    await write({ path: `in/new/${round}.bed` });
    return 'written';
  });
  expect(readdirSync(join(top, 'elsewhere'), { recursive: true })).toEqual(['genes.bed']);
});

test('race: of two that write one new file without "replace", one is refused and the other whole', async () => {
  const sets = ['a', 'b'].map((id) => createSet([{ id, location: { sequence: 'c', start: 1, stop: 2, strand: 1 } }]));
  for (let race = 0; race < RACES; race += 1) {
    const path = `${race}.bed`;
    const ends = await Promise.allSettled(sets.map((set, at) => write({ path }, set, undefined, `writer ${at}`)));
    const won = ends.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
    expect(won).toHaveLength(1);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringMatching(/it is there already and holds something else/) },
    });
    expect(readFileSync(join(base, path), 'utf8')).toContain(won[0] === 0 ? '\ta\t' : '\tb\t');
  }
  expect(readdirSync(base).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a folder that is a link within the project is written to as before', async () => {
  mkdirSync(join(base, 'real'));
  symlinkSync('real', join(base, 'way'));
  await write({ path: 'way/out.bed' });
  expect(readdirSync(join(base, 'real'))).toEqual(['out.bed']);
});
