/**
 * How fast a signed stop is heard while every activity slot of the worker is taken and a flood comes in: 100 nodes nap until
 * they are told to end, and strangers ask for an action that there is not, 100 and 300 times a second. A person pauses the run
 * several times, with what `planwright pause` and `kill` send, then kills it. On one real server, one worker. Prints one JSON line per
 * run. Fails where a stop took 2 s or more although the server took the flood in as fast as it was sent; where it does
 * not, the server has no turn left for the task of the workflow, and the line says how long its own stop (terminate) takes.
 *
 *   npx tsx bench/stop.ts [runs]
 */

import { setTimeout as pause } from 'node:timers/promises';
import { loadavg } from 'node:os';
import type { WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import { createSet } from '../src/plan/algebra/index.ts';
import { defineCapability } from '../src/capabilities/index.ts';
import type { Control } from '../src/protocol/index.ts';
import { createKeyPair, signMessage } from '../src/protocol/identity/index.ts';
import { median } from './median.ts';
import { print } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { documentOf, tree } from './shapes.ts';

const RUNS = Number(process.argv[2] ?? 2);
const NAPPING = 100;
const NODES = 2 * NAPPING - 1;
const PAUSES = 10;
const GATE_MS = 2000;
/** The server keeps up with a flood that it takes in at this part of the rate at which it is sent. */
const KEEPS_UP = 0.9;
const SENDERS = 30;
/** Between two words of a person, while the flood goes on. */
const BETWEEN_MS = 1000;
const TICK_MS = 20;

const operator = createKeyPair();
const stranger = createKeyPair();
const naps: { now: number } = { now: 0 };
const nap = defineCapability({
  name: 'nap',
  description: 'Naps until it is told to end.',
  input: z.object({}),
  output: 'set',
  effect: 'read',
  timeout: { startToCloseMs: 600_000 },
  async execute({ signal }) {
    naps.now += 1;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    naps.now -= 1;
    return createSet([]);
  },
});

/** The two that a stranger can send: without a signature, and with one that has to be reckoned to be refused. */
const FLOODS = {
  unsigned: async () => ({ action: 'fly', by: 'stranger' }),
  forged: async (workflowId: string) => ({
    token: await signMessage({
      key: stranger.privateKey,
      kid: 'operator',
      by: 'operator',
      workflowId,
      message: { action: 'fly' },
    }),
  }),
};
type Kind = keyof typeof FLOODS;

const MEASURED: readonly (readonly [Kind, number])[] = [
  ['unsigned', 100],
  ['forged', 100],
  ['unsigned', 300],
];

await withServer(
  async (server) => {
    for (const [kind, perSecond] of MEASURED) {
      for (let at = 1; at <= RUNS; at++) await run(server, kind, perSecond, at);
    }
  },
  undefined,
  {
    capabilities: [nap],
    identity: { keys: { operator: { publicKey: operator.publicKey, subject: 'operator', roles: ['operator'] } } },
    signer: ({ by, ...message }, workflowId, namespace, firstRunId = '') =>
      signMessage({ firstRunId, key: operator.privateKey, kid: 'operator', by, workflowId, namespace, message }),
  },
);

async function run({ client, plans }: BenchServer, kind: Kind, perSecond: number, at: number): Promise<void> {
  const workflowId = `stop-${kind}-${perSecond}-${at}`;
  const options = { approval: 'effects', concurrency: NAPPING } as const;
  const started = await plans.start(
    documentOf(tree(NODES), () => ({ capability: 'nap' })),
    { workflowId, options },
  );
  if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
  while (naps.now < NAPPING) await pause(TICK_MS);
  const handle = client.workflow.getHandle(workflowId);
  const flood = openFlood(handle, await FLOODS[kind](workflowId), perSecond);
  const heard: number[] = [];
  /** False where the run did not answer, so that the server keeps the word until it does. */
  const tell = async (control: Pick<Control, 'action' | 'comment'>) => {
    const from = performance.now();
    const { how } = await started.run.control({ ...control, by: 'operator' }).catch(() => ({ how: 'kept' }));
    if (how === 'answered' && control.action !== 'resume') heard.push(performance.now() - from);
    return how === 'answered';
  };
  let isHeard = true;
  for (let stop = 0; stop < PAUSES && isHeard; stop++) {
    await pause(BETWEEN_MS);
    isHeard = (await tell({ action: 'pause' })) && (await tell({ action: 'resume' }));
  }
  await pause(BETWEEN_MS);
  const taken = flood.perSecond();
  isHeard &&= await tell({ action: 'kill', comment: 'measured' });
  const from = performance.now();
  if (!isHeard) await handle.terminate('measured');
  const terminateMs = Math.round(performance.now() - from);
  await flood.stop();
  await started.run.end();
  while (naps.now > 0) await pause(TICK_MS);
  const max = Math.round(Math.max(...heard));
  const ms = heard.length === 0 ? undefined : { median: Math.round(median(heard)), max };
  const keepsUp = taken >= KEEPS_UP * perSecond;
  if (keepsUp && (!isHeard || max >= GATE_MS)) process.exitCode = 1;
  const line = { case: `stop, ${kind}`, at, perSecond, taken, keepsUp, stops: heard.length, isHeard, ms };
  print({ ...line, ...(!isHeard && { terminateMs }), gateMs: GATE_MS, load: loadavg()[0] });
}

/** As many senders as it takes, each of which waits until the server has what it sent before it sends again. */
function openFlood(target: WorkflowHandle, message: object, rate: number) {
  const from = performance.now();
  const over = new AbortController();
  let accepted = 0;
  const seconds = () => (performance.now() - from) / 1000;
  const send = async (first: number) => {
    for (let due = first / rate; !over.signal.aborted; due = Math.max(due + SENDERS / rate, seconds())) {
      await pause(Math.max(0, (due - seconds()) * 1000));
      // One that comes after the end of the run is refused by the server.
      await target.signal('control', message).then(
        () => void (accepted += 1),
        () => undefined,
      );
    }
  };
  const sending = Promise.all(Array.from({ length: SENDERS }, (_, first) => send(first)));
  return {
    perSecond: () => Math.round(accepted / seconds()),
    async stop() {
      over.abort();
      await sending;
    },
  };
}
