/** How long a run stands still when one of its two workers is killed, and whether a slow disk costs an attempt. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { momentOf, next, twoChains } from '../chain.ts';
import type { Member } from '../crew.ts';
import { deedsOf, type Deed } from '../ledger.ts';
import { attend } from '../operator.ts';
import { leaf, together } from '../plans.ts';
import { createRandom, seeds } from '../random.ts';
import { settle, tell } from '../report.ts';
import { openSite, until, type Site, type Started } from '../site.ts';

const ROUNDS = 10;
/** More than the rounds can take. */
const CHAIN = 400;
/** PENDING_WORKFLOW_TASK_STATE_STARTED of the API. */
const STARTED = 2;

/** What is done to the worker that holds the run, while the other one is at work for it. */
const KILLS = {
  'no workflow task open': (_site: Site, _started: Started, holder: Member) => holder.kill(),
  'a workflow task open': async (site: Site, { run }: Started, holder: Member) => {
    holder.halt();
    const request = { namespace: 'default', execution: { workflowId: run.workflowId } };
    await until('the halted worker was given a workflow task', async () => {
      const { pendingWorkflowTask } = await site.client.workflowService.describeWorkflowExecution(request);
      return Number(pendingWorkflowTask?.state) === STARTED;
    });
    await holder.kill();
  },
} as const;

async function measure(): Promise<void> {
  const site = await openSite();
  await Promise.all([site.hire({ slots: 1 }), site.hire({ slots: 1 })]);
  const started = await site.start(twoChains(CHAIN), [], { approval: 'effects' });
  const attended = attend(site, started, 600_000);
  for (const [what, kill] of Object.entries(KILLS)) {
    const waits: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { holder, link } = await momentOf(site, started);
      await kill(site, started, holder);
      const from = Date.now();
      site.write({ kind: 'fault', at: from, fault: what, inFlight: site.flying().length });
      await until('the run goes on', () => next(site, link, from) !== undefined);
      waits.push((next(site, link, from)?.at ?? from) - from);
      await site.hire({ slots: 1 });
    }
    waits.sort((a, b) => a - b);
    tell(`killed, ${what}`, {
      rounds: ROUNDS,
      'p50 ms': quantile(waits, 0.5),
      'p95 ms': quantile(waits, 0.95),
      'most ms': quantile(waits, 1),
    });
  }
  await started.run.cancel();
  await attended;
  expect((await settle(site, 'killed, next progress')).failing).toEqual([]);
}

test('a kill of one of two workers to the next progress', measure);

const SIDES = 16;
const LENGTH = 30;
const NAP_MS = 300;
/** Ten times what is promised, on a machine that does nothing else. */
const ALL_AT_WORK_MS = 120_000;

/** Chains side by side, reads and idempotent effects in turns, with the product's own heartbeats. */
function sides() {
  const chain = (side: number) => {
    let plan = leaf('look-usual', `${side} 0`, { ms: NAP_MS });
    for (let n = 1; n < LENGTH; n++) {
      const capability = n % 2 === 0 ? 'look-usual' : 'mark-usual';
      plan = leaf(capability, `${side} ${n}`, { ms: NAP_MS }, { input: plan });
    }
    return plan;
  };
  return { goal: 'chains side by side', plan: together(Array.from({ length: SIDES }, (_, side) => chain(side))) };
}

test('a kill of one of two workers until all that may be repeated is at work again', async () => {
  const site = await openSite();
  const random = createRandom(seeds(1)[0] ?? 1);
  const waits: number[] = [];
  await Promise.all([site.hire(), site.hire()]);
  for (let round = 0; round < ROUNDS; round++) {
    const started = await site.start(sides(), [], { approval: 'effects', lane: 'visible' });
    const { workflowId } = started.run;
    const attended = attend(site, started, 600_000);
    const begun = () => deedsOf(site.lines(), 'begin').filter(({ run }) => run === workflowId);
    const isAt = SIDES * (LENGTH / 3) + random.below(3 * SIDES);
    await until('a third is done', () => begun().length > isAt);
    const busiest = mostAtWork(site);
    await busiest.kill();
    const from = Date.now();
    site.write({ kind: 'fault', at: from, fault: 'kill', inFlight: site.flying().length });
    const again = () => {
      const first = new Map<string, number>();
      for (const { at, pid, name } of begun()) {
        const side = name.split(' ')[0] ?? '';
        if (at >= from && pid !== busiest.pid && !first.has(side)) first.set(side, at);
      }
      return first;
    };
    await until('all chains are at work again', () => again().size === SIDES, ALL_AT_WORK_MS);
    waits.push(Math.max(...again().values()) - from);
    await started.run.cancel();
    await attended;
    await site.hire();
  }
  const sorted = waits.toSorted((a, b) => a - b);
  tell('killed, all at work again', { rounds: ROUNDS, 'p50 ms': quantile(sorted, 0.5), ms: waits.join(' ') });
  expect((await settle(site, 'killed, all at work again')).failing).toEqual([]);
});

function mostAtWork(site: Site): Member {
  const flying = site.flying();
  const count = (member: Member) => flying.filter(({ pid }) => pid === member.pid).length;
  const [most] = site.crew().toSorted((one, other) => count(other) - count(one));
  if (most === undefined) throw new Error('there is no worker');
  return most;
}

/** Every sync takes this much longer, but for those of the ledger, which the main thread waits for. */
const SYNC_MS = 200;
const SLOW_SYNC = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>
static int slow(const char *name, int file) {
  if (syscall(SYS_gettid) != getpid()) usleep(${SYNC_MS} * 1000);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}
int fsync(int file) { return slow("fsync", file); }
int fdatasync(int file) { return slow("fdatasync", file); }
`;

test('a disk that takes 200 ms for each sync costs no attempt', async (context) => {
  const site = await openSite();
  const library = join(site.folder, 'slow-sync.so');
  writeFileSync(`${library}.c`, SLOW_SYNC);
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, `${library}.c`, '-ldl']);
  } catch {
    return void context.skip('there is no C compiler');
  }
  await site.hire({ preload: library });
  const parts = Array.from({ length: 40 }, (_, n) => leaf('look-usual', `look ${n}`, { ms: n % 2 === 0 ? 6000 : 10 }));
  const plan = { goal: 'a slow disk', plan: together(parts) };
  const started = await site.start(plan, [], { approval: 'effects', lane: 'visible' });
  await attend(site, started);
  const begun = deedsOf(site.lines(), 'begin');
  expect(begun).toHaveLength(parts.length);
  expect(begun.filter(({ attempt }: Deed) => attempt > 1)).toEqual([]);
  expect((await settle(site, 'a slow disk')).failing).toEqual([]);
});

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
