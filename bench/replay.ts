/**
 * How long a worker takes to replay a history that it has not in memory, beside loops that are always busy: what the first workflow
 * task after a crash takes. A chain, whose nodes need the most events, and a tree, each in one history.
 *
 *   npx tsx bench/replay.ts [nodes of the chain] [busy loops]
 */

import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { createRegistry } from '../src/capabilities/builtin/index.ts';
import { createFileStore } from '../src/store/index.ts';
import { planwrightPlugin } from '../src/worker/index.ts';
import { print, round3 } from './print.ts';
import { withServer } from './server.ts';
import { chain, documentOf, tree, type Shape } from './shapes.ts';

const [NODES = 650, LOOPS = 4] = process.argv.slice(2).map(Number);
const UNLIMITED = { events: 50_000, bytes: 50 * 2 ** 20 };
/** The load is an average of a minute: the loops are given some seconds to be felt. */
const WARM_UP_MS = 3000;

const histories = new Map<string, unknown>();
await withServer(
  async ({ client, plans }) => {
    for (const shape of [chain(1), chain(NODES), tree(2 * Math.floor(NODES / 2) + 1)]) {
      const started = await plans.start(documentOf(shape), {
        workflowId: idOf(shape),
        options: { approval: 'effects' },
      });
      if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
      const handle = client.workflow.getHandle(idOf(shape));
      await handle.result();
      histories.set(idOf(shape), JSON.parse(historyToJSON(await handle.fetchHistory())));
    }
  },
  undefined,
  { historyBudget: { soft: UNLIMITED, hard: UNLIMITED } },
);

const plugin = planwrightPlugin({ registry: createRegistry([]), store: createFileStore('unused') });
const replay = async (id: string) => {
  const from = performance.now();
  const cpu = process.cpuUsage();
  await Worker.runReplayHistory({ plugins: [plugin] }, histories.get(id), id);
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - from, cpuMs: (user + system) / 1000 };
};
const loops = Array.from({ length: LOOPS }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
try {
  await sleep(WARM_UP_MS);
  for (let round = 0; round < 3; round += 1) {
    // What the worker itself takes to begin and end.
    const [[first] = [''], ...rest] = [...histories];
    const none = await replay(first);
    for (const [id, history] of rest) {
      const { ms, cpuMs } = await replay(id);
      const { length: events } = (history as { events: unknown[] }).events;
      const net = { ms: round3(ms - none.ms), cpuMs: round3(cpuMs - none.cpuMs) };
      print({ case: `replay of a ${id}`, events, busyLoops: LOOPS, load: round3(loadavg()[0] ?? 0), ...net });
    }
  }
} finally {
  for (const loop of loops) loop.kill('SIGKILL');
}

function idOf({ name }: Shape): string {
  return name.replaceAll(/[ ,]+/g, '-');
}
