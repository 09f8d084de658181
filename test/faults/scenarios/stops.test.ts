/** Stops that are said while every slot of the worker is taken: they are heard at once, and nothing begins after. */

import { expect, test } from 'vitest';
import type { WordKind } from '../ledger.ts';
import { approve, attend, BY, compiled, idOf } from '../operator.ts';
import { leaf, together } from '../plans.ts';
import { settle, tell } from '../report.ts';
import { openSite, until, type Site, type Started } from '../site.ts';

const SLOTS = 6;
const WRITES = 3;
const BUSY_MS = 4000;

type Stop = (started: Started, names: readonly string[]) => Promise<unknown>;

/** What is said, and to what of the run it is said. */
const STOPS: Partial<Record<WordKind, Stop>> = {
  pause: ({ run }) => run.control({ action: 'pause', by: BY }),
  withdraw: ({ run, plan }) => run.decide({ kind: 'withdraw', digest: plan.digest, by: BY }),
  reject: ({ run, plan }) => run.decide({ kind: 'reject', digest: plan.digest, by: BY }),
  edit: ({ run, plan }) => run.decide({ kind: 'edit', digest: plan.digest, plan: leaf('look', 'instead'), by: BY }),
  'cancel-node': async ({ run, plan }, names) => {
    for (const name of names) await run.control({ action: 'cancel-node', node: idOf(plan, name), by: BY });
  },
  // The server takes a cancellation for the run; a query sees what was taken before it.
  cancel: async ({ run }) => {
    await run.cancel();
    await run.view(['status']);
  },
};

test('a stop is heard while all slots are taken, and no effect begins after it', async () => {
  const site = await openSite();
  await site.hire({ slots: SLOTS });
  const words = Object.entries(STOPS) as [WordKind, Stop][];
  const runs = await Promise.all(words.map(([word, stop]) => prepare(site, word, stop)));

  const idle = Array.from({ length: SLOTS }, (_, n) => `busy-${n}`);
  const blocker = await site.start(documentOf('look', idle, BUSY_MS), idle, { approval: 'effects' });
  const blocked = attend(site, blocker);
  await until('all slots are taken', () => site.flying().length === SLOTS);
  // The writes are approved and in the queue now, where no slot is free for them.
  for (const { started, names } of runs) await approve(site, started, names);
  await Promise.all(
    runs.map(({ word, stop, started, names }) =>
      site.say({ run: started.run.workflowId, word, ...(word !== 'pause' && word !== 'cancel' && { names }) }, () =>
        stop(started, names),
      ),
    ),
  );
  await blocked;
  // What comes last into the queue comes last out of it.
  const last = await site.start(documentOf('look', ['last'], 0), ['last'], { approval: 'effects' });
  await attend(site, last);
  for (const { word, started } of runs) {
    if (word !== 'pause') continue;
    const { workflowId: run } = started.run;
    await site.say({ run, word: 'resume' }, () => started.run.control({ action: 'resume', by: BY }));
  }
  await Promise.all(runs.map(({ started }) => attend(site, started)));

  const { all, failing } = await settle(site, 'stops, all slots taken', { slots: SLOTS });
  for (const { word, started } of runs) {
    const { workflowId: run } = started.run;
    const begun = all.filter((finding) => finding.rule === 'stopped' && finding.run === run).length;
    tell(`  ${word}`, { 'heard after ms': heardAfter(site, word, run), 'began afterwards': begun });
  }
  expect(failing).toEqual([]);
  expect(site.lines().filter(({ kind }) => kind === 'refused')).toEqual([]);
});

async function prepare(site: Site, word: WordKind, stop: Stop) {
  const names = Array.from({ length: WRITES }, (_, n) => `${word}-${n}`);
  // One more that nobody approves, so that the run is still open to a rejection.
  const document = documentOf('mark', [...names, `${word}-open`], 50);
  const started = await site.start(document, [], { approval: 'effects', onFailure: 'partial' });
  await compiled(started);
  return { word, stop, names, started };
}

function documentOf(capability: string, names: readonly string[], ms: number) {
  return {
    goal: `${names.length} times ${capability}`,
    plan: together(names.map((name) => leaf(capability, name, { ms }))),
  };
}

function heardAfter(site: Site, word: WordKind, run: string): number | 'never' {
  const lines = site.lines();
  const said = lines.find((line) => line.kind === 'said' && line.run === run && line.word === word);
  const heard = lines.find((line) => line.kind === 'heard' && said?.kind === 'said' && line.id === said.id);
  return said === undefined || heard === undefined ? 'never' : heard.at - said.at;
}
