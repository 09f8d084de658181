/** Planwright on Temporal's dev server with a database file, as `run` starts it. */

import { NativeConnection } from '@temporalio/worker';
import { z } from 'zod';
import { defineCapability } from '../../src/capabilities/index.ts';
import { ClientError, type PlanClient, type RunHandle } from '../../src/client/index.ts';
import { compilePlan, type CompiledPlan } from '../../src/plan/index.ts';
import { createSet } from '../../src/plan/algebra/index.ts';
import type { DoneResult, RunSettings, RunStatus } from '../../src/protocol/index.ts';
import type { Store } from '../../src/store/index.ts';
import { chainsOf, findFinished } from '../../src/activities/run-records.ts';
import { openStores } from '../../src/activities/stores.ts';
import type { Request } from '../contender.ts';
import { createEngine, openClients, runWorkers, startServer, type Place } from '../server.ts';
import { documentOf, tree, wordsOf, type Shape } from '../shapes.ts';
import { contend, each, versionIn } from './answer.mjs';
import { historyOf } from './history.ts';
import { carryOut, idsOf } from './node-work.mjs';

const ASK_EVERY_MS = 100;
const LIMITS = { nodes: 200_000 };

const work = defineCapability({
  name: 'work',
  description: 'Naps, and gives as many bytes of ids as it is told to.',
  input: z.object({ node: z.number(), ms: z.number(), bytes: z.number(), ledger: z.string().optional() }),
  output: 'set',
  effect: 'read',
  execute: async ({ arguments: { node, ms, bytes, ledger } }) => {
    await carryOut({ node, ms, ledger });
    return createSet(idsOf(node, bytes).map((id) => ({ id })));
  },
});

await contend({
  async serve() {
    const { place, stop } = await startServer();
    const { plans, store, close } = await openClients(place);
    return {
      place,
      kept: async ({ shape, run }) => [...(await keptOf(shape, run, plans, store))],
      async stop() {
        await close();
        await stop();
      },
    };
  },

  async work(place: Place, options) {
    const [lane, atOnce] = [options['lane'], options['at-once']] as [string | undefined, number | undefined];
    const connection = await NativeConnection.connect({ address: place.address });
    const { client, plans, store, close } = await openClients(place);
    const sdk = atOnce === undefined ? {} : { sdk: { maxConcurrentActivityTaskExecutions: atOnce } };
    const stop = runWorkers(connection, [await createEngine(connection, store, { capabilities: [work], ...sdk })]);
    const settings = {
      approval: 'effects',
      limits: LIMITS,
      ...(atOnce !== undefined && { concurrency: atOnce }),
      ...(lane !== undefined && { lane }),
    } as RunSettings;
    let runs = 0;
    const idOf = (run = `run-${process.pid}-${++runs}`) => run;

    const deeds = {
      async plan({ shape, run, facts, unchecked }: Omit<Extract<Request, { does: 'plan' }>, 'does'>) {
        const workflowId = idOf(run);
        const from = performance.now();
        const { run: handle } = await start(shape, workflowId, settings);
        const { result } = (await client.workflow.getHandle(workflowId).result()) as DoneResult;
        const ms = performance.now() - from;
        if (unchecked) return { ms };
        const { counts } = await statusOf(handle, ({ outcome }) => outcome === 'done');
        const went = { ms, ran: counts['succeeded'] ?? 0, records: result.count };
        return facts === undefined ? went : { ...went, facts: await historyOf(client, workflowId) };
      },
      empty: () => deeds.plan({ shape: tree(1) }),
      async resume({ run }: { run: string }) {
        const from = performance.now();
        await client.workflow.getHandle(run).result();
        return { ms: performance.now() - from };
      },
      async approvals({ runs: count }: { runs: number }) {
        const opened = performance.now();
        const open: Awaited<ReturnType<typeof start>>[] = [];
        await each(count, async (at) => {
          open[at] = await start(tree(1), idOf(), { ...settings, approval: 'required' });
        });
        await each(count, async (at) => {
          await statusOf(open[at]!.run, ({ phase }) => phase === 'awaiting-approval');
        });
        const from = performance.now();
        await each(count, async (at) => {
          const { run, plan } = open[at]!;
          await run.decide({ kind: 'approve', digest: plan.digest, by: 'operator' });
        });
        await Promise.all(open.map(({ run }) => client.workflow.getHandle(run.workflowId).result()));
        return { ms: performance.now() - from, facts: { openMs: Math.round(from - opened) } };
      },
    };

    async function start(shape: Shape, workflowId: string, runOptions: RunSettings) {
      const started = await plans.start(documentFor(shape), { workflowId, options: runOptions });
      if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
      return started;
    }

    const laneText = lane === undefined ? '' : `, lane ${lane}`;
    const atOnceText = atOnce === undefined ? '' : `, ${atOnce.toLocaleString('en')} nodes at once`;
    return {
      ready: {
        name: lane === undefined ? 'Planwright' : `Planwright, ${lane}`,
        version: versionIn(new URL('../../package.json', import.meta.url)),
        label: `Temporal dev server on SQLite, results as files${laneText}${atOnceText}; its smallest run has one node`,
      },
      deeds,
      async close() {
        await stop();
        await close();
      },
    };
  },
});

function documentFor(shape: Shape): { goal: string; plan: object } {
  const { naps, inputs, bytes = 0, ledger } = shape;
  return documentOf(shape, (node) => {
    const notes = ledger === undefined ? {} : { ledger };
    const given = { node, ms: naps[node] ?? 0, bytes: inputs[node]?.length === 0 ? bytes : 0, ...notes };
    const isIdle = given.ms === 0 && given.bytes === 0 && ledger === undefined;
    return isIdle ? { capability: 'noop' } : { capability: 'work', arguments: given };
  });
}

/** Asks again while it does not fit, or where a worker that has much to do has not answered in time. */
async function statusOf(run: RunHandle, fits: (status: RunStatus) => boolean): Promise<RunStatus> {
  for (;;) {
    const seen = await run.view(['status']).catch((error: unknown) => {
      if (error instanceof ClientError && error.code === 'no-worker') return undefined;
      throw error;
    });
    if (seen !== undefined && fits(seen.status)) return seen.status;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

/** Nodes that the history has as carried out; of a run that has no activity for a node, those bound in the store. */
async function keptOf(shape: Shape, run: string, plans: PlanClient, store: Store): Promise<Set<number>> {
  const compiled = compilePlan(documentFor(shape), { limits: LIMITS });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues.slice(0, 3)));
  const numbers = new Map(shape.inputs.map((_, node) => [wordsOf(node), node]));
  const tasks = new Map(compiled.plan.tasks.map(({ id, task }) => [id, numbers.get(task) ?? -1]));
  const { nodes } = (await plans.run(run).view(['begun'])).begun;
  const begun = nodes.flatMap(({ id }) => tasks.get(id) ?? []);
  return new Set(begun.length > 0 ? begun : await boundOf(compiled.plan, tasks, run, store));
}

async function boundOf(
  plan: CompiledPlan,
  tasks: ReadonlyMap<string, number>,
  workflowId: string,
  store: Store,
): Promise<readonly number[]> {
  const bound: number[] = [];
  const place = { namespace: 'default', workflowId, firstRunId: '' };
  const stores = openStores(store);
  const [{ firstRunId } = place] = await chainsOf(stores, place);
  for (const { id, key } of plan.tasks) {
    const finished = await findFinished(stores.of({ ...place, firstRunId }), { ...place, firstRunId }, key);
    if (finished !== undefined) bound.push(tasks.get(id) ?? -1);
  }
  return bound;
}
