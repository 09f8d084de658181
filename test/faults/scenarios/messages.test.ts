/** Messages and start inputs of every wrong kind, and floods of them: no run is wedged, and the right word is heard after. */

import { expect, inject, test } from 'vitest';
import {
  PAYLOADS,
  RESERVED_NAMES,
  SIGNAL_NAMES,
  signalRaw,
  startRaw,
  UPDATE_NAMES,
  updateRaw,
} from '../hostile-messages.ts';
import { keepCrew } from '../chaos.ts';
import { KNOWN_WAYS } from '../known.ts';
import { attend, BY, compiled, idOf } from '../operator.ts';
import { inParallel } from '../parallel.ts';
import { leaf, together } from '../plans.ts';
import { createRandom, seeds } from '../random.ts';
import { settle, tell } from '../report.ts';
import { openSite, until, type Site, type Started } from '../site.ts';

const isLong = inject('long');
const [SIGNALS, CANCELS] = isLong ? [9000, 1000] : [400, 100];
const MOST_GROWTH_MB = 400;

/** A run that waits for a person, so that it is there as long as it is wanted. */
async function waiting(site: Site, goal: string): Promise<Started> {
  const plan = together([leaf('choose', `which for ${goal}`), leaf('mark', `mark for ${goal}`)]);
  const started = await site.start({ goal, plan }, [`mark for ${goal}`], { approval: 'effects' });
  await compiled(started);
  return started;
}

test('malformed messages change nothing', async () => {
  const site = await openSite();
  const worker = await site.hire();
  const started = await waiting(site, 'malformed messages');
  const { workflowId } = started.run;
  let untaken = 0;
  const random = createRandom(seeds(1)[0] ?? 1);
  const some = <T>(all: readonly T[]) => (isLong ? all : [random.pick(all)]);
  const sent = Object.values(PAYLOADS).flatMap((payloads) => [
    ...some(SIGNAL_NAMES).map((name) => () => signalRaw(site.client, workflowId, name, payloads)),
    ...some(UPDATE_NAMES).map((name) => () => updateRaw(site.client, workflowId, name, payloads)),
  ]);
  // What the server itself does not take in is answered by it.
  await inParallel(sent, 8, (send) => send().catch(() => void (untaken += 1)));
  await attend(site, started);
  const { failing } = await settle(site, 'malformed messages', { sent: sent.length, 'not taken in': untaken });
  expect(worker.isThere()).toBe(true);
  expect(failing).toEqual([]);
});

test('names that are kept for Temporal itself do not wedge a run', async () => {
  const site = await openSite();
  await site.hire();
  const runs = await Promise.all(
    RESERVED_NAMES.map(async (name, n) => {
      const started = await waiting(site, `reserved ${n}`);
      await signalRaw(site.client, started.run.workflowId, name, PAYLOADS['an empty object'] ?? []);
      return started;
    }),
  );
  await Promise.all(runs.map((started) => attend(site, started)));
  const { failing } = await settle(site, 'reserved names', { names: runs.length });
  expect(failing).toEqual([]);
});

test('malformed start inputs end as wrong input, and their worker goes on', async () => {
  const site = await openSite();
  const worker = await site.hire();
  const inputs = Object.entries(PAYLOADS);
  const runs = await Promise.all(
    inputs.map(async ([what, payloads], n) => {
      const workflowId = `${site.taskQueue}-input-${n}`;
      await startRaw(site.client, site.taskQueue, workflowId, payloads);
      site.write({ kind: 'opened', at: Date.now(), run: workflowId, names: [] });
      return { what, run: site.plans.run(workflowId) };
    }),
  );
  await Promise.all(runs.map(({ run }) => attend(site, { run, plan: { nodesById: {} } as Started['plan'] })));
  const { failing } = await settle(site, 'malformed start inputs');
  const wrong = runs.flatMap(({ what, run }) => {
    const end = site.lines().find((line) => line.kind === 'ended' && line.run === run.workflowId);
    if (end?.kind !== 'ended' || ['InvalidInput', 'InvalidPlan'].includes(end.outcome)) return [];
    return [`${what}: ${end.outcome} ${end.reason.slice(0, 200)}`];
  });
  expect(wrong).toEqual([]);
  expect(worker.isThere()).toBe(true);
  expect(failing).toEqual([]);
});

test('a flood of signals with queries beside', async () => {
  const site = await openSite();
  const worker = await site.hire();
  const keeper = keepCrew(site);
  const started = await waiting(site, 'a flood');
  const handle = site.client.workflow.getHandle(started.run.workflowId);
  const before = worker.memory();
  const state = { isOver: false, queries: 0, mostMb: before };
  const asking = (async () => {
    while (!state.isOver) {
      if (await started.run.view(['status']).catch(() => undefined)) state.queries += 1;
      for (const member of site.crew()) state.mostMb = Math.max(state.mostMb, member.memory());
    }
  })();
  await inParallel(Array.from({ length: SIGNALS }), 50, (_, n) =>
    handle.signal('control', { action: 'nothing', by: `p${n}` }),
  );
  await attend(site, started);
  state.isOver = true;
  await asking;
  keeper.stop();
  const { queries, mostMb } = state;
  const facts = { signals: SIGNALS, queries, 'grown by MB': mostMb - before, 'workers died': keeper.deaths() };
  const { failing } = await settle(site, 'a flood of signals', facts);
  const dies = KNOWN_WAYS['a flood of signals'];
  if (keeper.deaths() > 0 && dies !== undefined) tell('  workers died', { known: dies });
  else expect(keeper.deaths()).toBe(0);
  expect(mostMb - before).toBeLessThanOrEqual(MOST_GROWTH_MB);
  expect(failing).toEqual([]);
});

test('cancel-node again and again on one node', async () => {
  const site = await openSite();
  await site.hire();
  const plan = together([leaf('look', 'long', { ms: 15_000 }), leaf('choose', 'which')]);
  const started = await site.start({ goal: 'cancelled often', plan }, [], {
    approval: 'effects',
    onFailure: 'partial',
  });
  await until('the node is at work', () => site.flying().length === 1);
  const { workflowId } = started.run;
  const node = idOf(started.plan, 'long');
  const message = { action: 'cancel-node', node, by: BY };
  await inParallel(Array.from({ length: CANCELS }), 20, () =>
    site.client.workflow.getHandle(workflowId).signal('control', message),
  );
  await attend(site, started);
  let kept = 0;
  for (const { what } of (await started.run.view(['trace'])).trace.entries) if (what === 'control') kept += 1;
  const { failing } = await settle(site, 'cancel-node again', { sent: CANCELS, 'kept in the trace': kept });
  expect(failing).toEqual([]);
});
