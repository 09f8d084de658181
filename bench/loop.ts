/**
 * What a round of a loop costs (all but the model and the capability) beside a hop of a chain on the same server, in history
 * too; what a policy of 30 stages costs in CPU; and a loop of 1,000 rounds. Prints JSON lines.
 *
 *   npx tsx bench/loop.ts [rounds of measurement]
 */

import { loadavg } from 'node:os';
import { definePolicy, stagesOf, type Stage } from '../src/capabilities/policy/index.ts';
import { runRound } from '../src/planner/index.ts';
import { median } from './median.ts';
import { print, round3 } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { chain, documentOf } from './shapes.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const STEPS = 63;
const LONG = 1000;
const STAGES = 30;

interface State {
  readonly left: number;
}
type Decision = { readonly action: 'do' } | { readonly action: 'finish' };
const on = stagesOf<State, Decision, { readonly task: { readonly goal: string } }>();

/** Does nothing as often as the goal says. */
const counting = definePolicy<State, Decision, { readonly task: { readonly goal: string } }>({
  name: 'counting',
  initial: ({ task }) => ({ left: Number.parseInt(task.goal, 10) }),
  tick: { writes: ['left'], run: ({ left }) => ({ left: left - 1 }) },
  stages: [on.decide({ name: 'count', run: ({ left }) => ({ decision: { action: left < 0 ? 'finish' : 'do' } }) })],
  actions: {
    do: { dispatch: () => ({ is: 'capability', name: 'noop', arguments: {}, objective: 'nothing' }) },
    finish: { ends: true, dispatch: () => ({ is: 'finish', answer: 'counted' }) },
  },
});

await measurePolicy();
await withServer(
  async (server) => {
    await measureRounds(server);
    await measureLong(server);
  },
  undefined,
  { policy: counting },
);

async function measurePolicy(): Promise<void> {
  const list: Stage<State, Decision>[] = [];
  const stages = stagesOf<State, Decision>();
  for (let at = 0; at < STAGES / 3; at++) {
    list.push(stages.gate({ name: `g_${at}`, when: () => false, decide: () => ({ action: 'finish' }) }));
    list.push(stages.enrich({ name: `e_${at}`, writes: ['left'], run: ({ left }) => ({ left: left + 1 }) }));
  }
  list.push(stages.decide({ name: 'decide', run: () => ({ decision: { action: 'do' } }) }));
  for (let at = 1; at < STAGES / 3; at++) list.push(stages.correct({ name: `c_${at}`, run: () => undefined }));
  const { name, actions } = counting;
  const policy = definePolicy<State, Decision>({
    name,
    initial: () => ({ left: 0 }),
    stages: list,
    actions: Object.fromEntries(actions) as never,
  });
  for (let at = 0; at < 200; at++) await runRound(policy, { round: 1, around: undefined });
  const before = process.cpuUsage();
  const times = 1000;
  for (let at = 0; at < times; at++) await runRound(policy, { round: 1, around: undefined });
  const { user, system } = process.cpuUsage(before);
  print({ case: 'policy', stages: list.length, cpuMs: round3((user + system) / 1000 / times) });
}

async function measureRounds({ client, plans }: BenchServer): Promise<void> {
  const rounds: { ms: number; bytes: number; events: number }[] = [];
  const hops: number[] = [];
  for (let at = 0; at <= ROUNDS; at++) {
    const loop = await loopOf(client, `loop-${at}`, STEPS);
    const from = performance.now();
    const started = await plans.start(documentOf(chain(STEPS)), {
      workflowId: `chain-${at}`,
      options: { approval: 'effects' },
    });
    if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
    await started.run.end();
    // The first warms both up.
    if (at === 0) continue;
    hops.push((performance.now() - from) / STEPS);
    rounds.push(loop);
  }
  const ms = median(rounds.map((one) => one.ms));
  print({
    case: 'round / hop of a chain',
    steps: STEPS,
    ratio: round3(median(rounds.map((one, at) => one.ms / (hops[at] ?? Number.NaN)))),
    msPerRound: round3(ms),
    msPerHop: round3(median(hops)),
    bytesPerRound: Math.round(median(rounds.map((one) => one.bytes))),
    eventsPerRound: round3(median(rounds.map((one) => one.events))),
    loadBefore: round3(loadavg()[0] ?? 0),
  });
}

async function measureLong({ client }: BenchServer): Promise<void> {
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const { ms } = await loopOf(client, 'loop-long', LONG);
  globalThis.gc?.();
  let [histories, longest] = [0, 0];
  for await (const { runId } of client.workflow.list({ query: 'WorkflowId = "loop-long"' })) {
    const { historyLength } = await client.workflow.getHandle('loop-long', runId).describe();
    [histories, longest] = [histories + 1, Math.max(longest, historyLength)];
  }
  const grownMB = round3((process.memoryUsage().heapUsed - heap) / 2 ** 20);
  print({ case: 'a long loop', rounds: LONG, msPerRound: round3(ms), histories, longest, grownMB });
}

async function loopOf(client: BenchServer['client'], workflowId: string, steps: number) {
  const from = performance.now();
  const input = { goal: `${steps}`, options: { mode: 'reactive', maxRounds: steps + 1 } };
  const run = await client.workflow.start('planWorkflow', { taskQueue: 'engine', workflowId, args: [input] });
  await run.result();
  const ms = (performance.now() - from) / steps;
  const { historyLength, historySize = 0 } = await run.describe();
  return { ms, events: historyLength / steps, bytes: historySize / steps };
}
