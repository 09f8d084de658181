/**
 * Restate's server as one process, in a folder of its own: each node a durable step that begins when its inputs are there.
 * Its SDK waits for one promise at a time, so a race of the steps under way says which has ended.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contend, each, versionIn } from '../contenders/answer.mjs';
import { resultOf } from '../contenders/node-work.mjs';
import { freePort, runServer } from '../../scripts/servers/server.mjs';

// Restate's SDK 1.17 needs it, and Node has it from version 22 on.
Promise.withResolvers ??= function withResolvers() {
  let [resolve, reject] = [];
  const promise = new this((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
};
const { RestatePromise, serve, workflow } = await import('@restatedev/restate-sdk');

let ran = 0;
let runs = 0;
const idOf = (run = `run-${process.pid}-${++runs}`) => run;

const handlers = {
  async run(ctx, { shape, isApproved }) {
    if (isApproved) {
      ctx.set('waits', true);
      await ctx.promise('approve');
    }
    const done = [];
    const step = (node) => {
      const work = async () => {
        const result = await resultOf(
          shape,
          node,
          shape.inputs[node].map((input) => done[input]),
        );
        ran += 1;
        return result;
      };
      return ctx.run(`n${node}`, work).map((result) => {
        done[node] = result;
        return node;
      });
    };
    const waitsFor = shape.inputs.map(({ length }) => length);
    const dependents = shape.inputs.map(() => []);
    shape.inputs.forEach((needed, node) => needed.forEach((input) => dependents[input].push(node)));
    const underWay = new Map();
    const begin = (nodes) => nodes.forEach((node) => underWay.set(node, step(node)));
    begin([...shape.inputs.keys()].filter((node) => waitsFor[node] === 0));
    while (underWay.size > 0) {
      const node = await RestatePromise.race([...underWay.values()]);
      underWay.delete(node);
      begin(dependents[node].filter((one) => --waitsFor[one] === 0));
    }
    return { records: done.at(-1)?.records.length ?? 0 };
  },
  approve: (ctx) => ctx.promise('approve').resolve(true),
  waits: async (ctx) => (await ctx.get('waits')) ?? false,
};
const NOTHING = { inputs: [], naps: [] };
const ONE = { inputs: [[]], naps: [0] };

function deedsOf({ ingress }) {
  const call = (run, handler, input, way = '') => post(`${ingress}/plan/${run}/${handler}${way}`, input);
  return {
    async plan({ shape, run }) {
      ran = 0;
      const from = performance.now();
      const { records } = await call(idOf(run), 'run', { shape });
      return { ms: performance.now() - from, ran, records };
    },
    async empty() {
      const from = performance.now();
      await call(idOf(), 'run', { shape: NOTHING });
      return { ms: performance.now() - from };
    },
    async resume({ run }) {
      const from = performance.now();
      await read(await fetch(`${ingress}/restate/workflow/plan/${run}/attach`));
      return { ms: performance.now() - from };
    },
    async approvals({ runs: count }) {
      const opened = performance.now();
      const ids = Array.from({ length: count }, () => idOf());
      await each(count, async (at) => {
        await call(ids[at], 'run', { shape: ONE, isApproved: true }, '/send');
        while (!(await call(ids[at], 'waits')));
      });
      const from = performance.now();
      await each(count, (at) => call(ids[at], 'approve'));
      await Promise.all(ids.map(async (id) => read(await fetch(`${ingress}/restate/workflow/plan/${id}/attach`))));
      return { ms: performance.now() - from, facts: { openMs: Math.round(from - opened) } };
    },
  };
}

await contend({
  async serve() {
    const folder = mkdtempSync(join(tmpdir(), 'planwright-restate-'));
    const [ingress, admin, fabric, worker] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const env = {
      ...process.env,
      DO_NOT_TRACK: '1',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_BASE_DIR: folder,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(fabric),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LOG_FILTER: 'warn,restate=info',
      RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
    };
    const program = createRequire(import.meta.url).resolve(
      `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
    );
    const server = runServer(program, ['--no-logo'], { options: { env }, isReady: () => true });
    await server.start();
    const at = (port) => `http://127.0.0.1:${port}`;
    for (const url of [`${at(admin)}/health`, `${at(ingress)}/restate/health`]) await answers(url);
    return {
      place: { ingress: at(ingress), admin: at(admin), worker },
      kept: ({ run }) => keptIn(at(admin), run),
      async stop() {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  async work(place) {
    await serve({ services: [workflow({ name: 'plan', handlers })], port: place.worker, logger: () => {} });
    await post(`${place.admin}/deployments`, { uri: `http://127.0.0.1:${place.worker}` });
    return {
      ready: {
        name: 'Restate',
        version: versionIn(new URL('node_modules/@restatedev/restate-server/package.json', import.meta.url)),
        label: 'a step a node, its server as one process; as each is ready',
      },
      deeds: deedsOf(place),
      close: async () => setImmediate(() => process.exit()),
    };
  },
});

async function post(url, body) {
  const json = body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return read(await fetch(url, { method: 'POST', ...json }));
}

async function read(response) {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function answers(url) {
  while ((await fetch(url).catch(() => undefined))?.ok !== true) await new Promise((wake) => setTimeout(wake, 50));
}

/** The steps of which the journal has the result. */
async function keptIn(admin, run) {
  const query = `SELECT j.name, j.entry_lite_json FROM sys_journal j JOIN sys_invocation i ON j.id = i.id
    WHERE i.target_service_key = '${run}'`;
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const { rows } = await read(
    await fetch(`${admin}/query`, { method: 'POST', headers, body: JSON.stringify({ query }) }),
  );
  const entries = rows.map(({ name, entry_lite_json: json }) => ({ name, ...JSON.parse(json) }));
  const ended = new Set(entries.flatMap(({ Notification: end }) => end?.id.CompletionId ?? []));
  return entries.flatMap(({ name, Command }) =>
    Command?.Run !== undefined && ended.has(Command.Run.completion_id) ? [Number(name.slice(1))] : [],
  );
}
