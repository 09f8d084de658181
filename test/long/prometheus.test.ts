/**
 * docs/planwright.rules.yml on a real Prometheus (`apt-get install prometheus`): each fires on what it is for and on nothing else, and a
 * server that scrapes a worker has them in good health.
 */

import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { METRICS } from '../../src/protocol/index.ts';
import { CONFIG } from '../cli/planwright.ts';
import { BROKEN, createProject, word, writePlan } from '../cli/project.ts';
import { rules, rulesText } from '../support/alert-rules.ts';
import { freePort } from '../support/http-server.ts';
import { testFolder } from '../support/folders.ts';

const MINUTES = 60_000;
const isThere = ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).status === 0);
const why = isThere ? '' : ' (skipped: there is no prometheus here; apt-get install prometheus)';

/** The series on which each rule fires, with a value a minute, and the labels of the alert. Seconds since 1970 begin at 0 there. */
const FIRES: Readonly<Record<string, { readonly series: Readonly<Record<string, string>>; readonly labels: object }>> =
  {
    PlanWaitsForAPerson: {
      series: { 'planwright_open_items{namespace="n",taskQueue="q",kind="approval",older="1h"}': '0 2x40' },
      labels: { namespace: 'n', taskQueue: 'q', kind: 'approval' },
    },
    WaitsNotKnown: {
      series: { 'planwright_inbox_read_timestamp_seconds{namespace="n",taskQueue="q"}': '60x40' },
      labels: { namespace: 'n', taskQueue: 'q' },
    },
    RunsFail: {
      series: { 'planwright_runs_total{namespace="n",taskQueue="q",outcome="failed"}': '0x10 1x30' },
      labels: { namespace: 'n', taskQueue: 'q', outcome: 'failed' },
    },
    EffectUncertain: {
      series: { 'planwright_nodes_total{namespace="n",taskQueue="q",end="uncertain"}': '0x10 1x30' },
      labels: { namespace: 'n', taskQueue: 'q' },
    },
    StoreOrServerAway: held('fault'),
    ModelAway: held('model'),
    NoWorkerWithApprovedVersion: held('version'),
    WorkersLost: {
      series: { 'heartbeat_timeout{namespace="n",operation="TimerActiveTaskActivityTimeout"}': '0+1x40' },
      labels: { namespace: 'n' },
    },
    AttemptsFail: {
      series: {
        'planwright_attempts_total{taskQueue="q",executor="pay",end="failed"}': '0+6x40',
        'planwright_attempts_total{taskQueue="q",executor="pay",end="succeeded"}': '0+4x40',
      },
      labels: { taskQueue: 'q', executor: 'pay' },
    },
    ModelsCostMuch: {
      series: { 'planwright_model_call_cost_sum{model="m"}': '0+1x40' },
      labels: { model: 'm' },
    },
    ModelCallsFail: {
      series: { 'planwright_model_calls_total{model="m",end="quota"}': '0+1x40' },
      labels: { model: 'm', end: 'quota' },
    },
    WorkersFull: {
      series: {
        'temporal_worker_task_slots_available{namespace="n",task_queue="q",worker_type="ActivityWorker"}': '0x40',
      },
      labels: { namespace: 'n', task_queue: 'q' },
    },
    ServerSlow: {
      series: {
        'temporal_request_latency_seconds_bucket{operation="o",le="1"}': '0x40',
        'temporal_request_latency_seconds_bucket{operation="o",le="+Inf"}': '0+5x40',
        'temporal_request_latency_seconds_bucket{operation="o",le="5"}': '0+5x40',
      },
      labels: { operation: 'o' },
    },
    WorkerGone: {
      series: { 'up{job="planwright",instance="i"}': '0x40' },
      labels: { job: 'planwright', instance: 'i' },
    },
  };

function held(by: string) {
  return {
    series: { [`planwright_held_total{namespace="n",taskQueue="q",by="${by}"}`]: '0+1x40' },
    labels: { namespace: 'n', taskQueue: 'q' },
  };
}

function inFolder(): string {
  const folder = testFolder('prometheus');
  writeFileSync(join(folder, 'planwright.rules.yml'), rulesText());
  return folder;
}

test.skipIf(!isThere)(
  `each rule fires on what it is for, and on no other's${why}`,
  () => {
    const folder = inFolder();
    const all = rules();
    expect(all.map(({ alert }) => alert)).toEqual(Object.keys(FIRES));
    const at = '20m';
    const tests = all.map(({ alert, annotations }) => {
      const { series = {}, labels = {} } = FIRES[alert] ?? {};
      return {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: all.map((other) => ({
          eval_time: at,
          alertname: other.alert,
          exp_alerts:
            other.alert === alert ? [{ exp_labels: labels, exp_annotations: { summary: annotations.summary } }] : [],
        })),
      };
    });
    writeFileSync(join(folder, 'tests.yml'), stringify({ rule_files: ['planwright.rules.yml'], tests }));
    const run = (...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
    const checked = run('check', 'rules', 'planwright.rules.yml');
    expect([checked.status, checked.stdout]).toEqual([
      0,
      expect.stringContaining(`SUCCESS: ${all.length} rules found`),
    ]);
    const tried = run('test', 'rules', 'tests.yml');
    expect(`${tried.stdout}${tried.stderr}`).toContain('SUCCESS');
    expect(tried.status).toBe(0);
  },
  MINUTES,
);

test.skipIf(!isThere)(
  `a Prometheus that scrapes a worker sees its runs, and that it is gone${why}`,
  async () => {
    const folder = inFolder();
    const project = createProject();
    onTestFinished(() => project.close());
    const [metrics, port] = [await freePort(), await freePort()];
    const worker = project.begin(
      'worker',
      '--config',
      CONFIG,
      '--task-queue',
      project.taskQueue,
      '--metrics',
      String(metrics),
    );
    onTestFinished(() => void worker.child.kill('SIGKILL'));
    await worker.said(/worker ready/);
    writeFileSync(
      join(folder, 'prometheus.yml'),
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        scrape_configs: [{ job_name: 'planwright', static_configs: [{ targets: [`127.0.0.1:${metrics}`] }] }],
        rule_files: ['planwright.rules.yml'],
      }),
    );
    const flags = [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const server = spawn('prometheus', flags, { cwd: folder, stdio: 'ignore' });
    onTestFinished(() => void server.kill('SIGKILL'));
    const ask = async (path: string) => {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).then(
        (one) => one.json(),
        () => ({}),
      );
      return (reply as { readonly data?: unknown }).data;
    };
    const valueOf = async (query: string) => {
      const found = (await ask(`query?query=${encodeURIComponent(query)}`)) as {
        result?: { value: [number, string] }[];
      };
      return Number(found?.result?.[0]?.value[1] ?? Number.NaN);
    };
    const PATIENTLY = { timeout: MINUTES, interval: 500 };
    const of = `{taskQueue="${project.taskQueue}"}`;
    // The counters of runs are there, at zero, before anything has run.
    await expect.poll(() => valueOf(`sum(${METRICS.runs.name}${of})`), PATIENTLY).toBe(0);
    const failing = writePlan(project.folder, { goal: 'Fail', plan: BROKEN });
    expect((await project.type('run', failing, '--task-queue', project.taskQueue, '--approval', 'effects')).code).toBe(
      1,
    );
    await project.detach({ goal: 'Wait', plan: word('abc') });
    await expect.poll(() => valueOf(`${METRICS.openItems.name}{kind="approval",older="0s"}`), PATIENTLY).toBe(1);

    interface State {
      readonly name: string;
      readonly health: string;
      readonly state: string;
    }
    const states = async () => {
      const { groups = [] } = ((await ask('rules')) ?? {}) as {
        groups?: readonly { readonly rules: readonly State[] }[];
      };
      return groups.flatMap((group) => group.rules);
    };
    const stateOf = async (name: string) => (await states()).find((one) => one.name === name)?.state;
    await expect.poll(() => stateOf('RunsFail'), PATIENTLY).toBe('firing');
    expect((await states()).filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(await stateOf('WorkerGone')).toBe('inactive');
    worker.child.kill('SIGTERM');
    await worker.ended;
    await expect.poll(() => stateOf('WorkerGone'), PATIENTLY).toBe('pending');
  },
  5 * MINUTES,
);
