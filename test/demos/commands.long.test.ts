/** Demos as a stranger runs them, with their kill, with Ctrl-C and with a model of one's own. What they report without a kill is recorded. */

import { Client, Connection } from '@temporalio/client';
import { describe, expect, inject, test } from 'vitest';
import { agentsIdOf } from '../../src/protocol/index.ts';
import type { ModelEntry } from '../../examples/from-goal/index.ts';
import { NODES } from '../../examples/gene-strategies/planner-script.ts';
import { chatEvents, startModelServer, type Asked } from '../support/model-server.ts';
import { endedWell, interruptDemoCommand, linesIn, runDemoCommand } from './demo-process.ts';
import { fileFolder } from '../support/folders.ts';

interface Report {
  readonly faults: readonly string[];
  readonly calls: { readonly asked: number; readonly distinct: number; readonly unanswered: number };
  readonly killed?: { readonly pid: number; readonly unheard: number; readonly written: number; readonly key: string };
  readonly memo: string;
  readonly modelFile: string;
  readonly deviceFile: string;
  readonly ledgerFile: string;
}

interface Line {
  readonly pid: number;
  readonly key: string;
}

const cache = fileFolder('demo');
const gone = (pids: Iterable<number>) => {
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
};
/** What the model was asked, and by which processes. */
function calledBy({ modelFile }: Report) {
  const ledger = linesIn(modelFile) as readonly ModelEntry[];
  const requests = ledger.flatMap((entry) => (entry.what === 'asked' ? [entry.request] : []));
  return { requests, distinct: new Set(requests).size, pids: new Set(ledger.map(({ pid }) => pid)) };
}

/** It exits with 0 only if its own proof has found no fault. */
async function killed(...args: readonly string[]) {
  const { stdout, stderr } = await endedWell(cache, ...args);
  const report = JSON.parse(stdout) as Report;
  expect(report.faults).toEqual([]);
  expect(stderr).toContain(`worker ${report.killed?.pid} killed`);
  return { report, stderr };
}

describe('with its kill', () => {
  test.each([
    ['agents', 1],
    ['market-sizing', 0],
  ])('%s buys no reply again, and leaves no worker behind', async (name, unheard) => {
    const { report } = await killed(name, '--pace', '400');
    const { requests, distinct, pids } = calledBy(report);
    expect(report.killed?.unheard ?? 0).toBeGreaterThanOrEqual(unheard);
    expect(report.calls).toMatchObject({ asked: requests.length, distinct: requests.length - report.calls.unanswered });
    expect(distinct).toBe(report.calls.distinct);
    expect([pids.size, pids.has(report.killed?.pid ?? 0)]).toEqual([2, true]);
    gone(pids);
  });

  test('control-room: nothing was written before the kill, and only what may be repeated is', async () => {
    const { report } = await killed('control-room', '--pace', '50');
    expect(report.killed?.written).toBe(0);
    const requests = linesIn(report.deviceFile).slice(1) as readonly Line[];
    expect(requests.map(({ pid }) => pid)).not.toContain(report.killed?.pid);
    expect(requests[1]?.key).toBe(requests[2]?.key);
    gone(new Set((linesIn(report.ledgerFile) as readonly Line[]).map(({ pid }) => pid)));
  });

  test('control-room --reactive: another worker sends the same key, and no word of the model is on a card', async () => {
    const { report, stderr } = await killed('control-room', '--reactive', '--pace', '50');
    const { pid, key } = report.killed ?? {};
    const sent = (linesIn(report.deviceFile) as readonly Line[]).filter((line) => line.key === key);
    expect(sent.map((line) => line.pid === pid)).toEqual([true, false]);
    gone(sent.map((line) => line.pid));
    expect(JSON.stringify(linesIn(report.modelFile))).toContain('certainly safe');
    expect(stderr.replace(/\s+/g, ' ')).not.toContain('certainly safe');
    const { requests, distinct } = calledBy(report);
    expect(distinct).toBe(requests.length);
  });
});

test('without a kill and in text: the report, then who said what, a line or two each', async () => {
  const { code, stdout, stderr } = await runDemoCommand(cache, 'control-room', '--pace', '0', '--no-kill');
  expect([code, stderr]).toEqual([0, expect.stringContaining('exactly once')]);
  expect(stderr).not.toContain('killed');
  expect(stdout).toMatch(/^Report what was done\n/);
  const [, audit = ''] = /Who said what.*\n\n([^]*?)\n\n/.exec(stderr) ?? [];
  for (const line of audit.split('\n')) {
    expect(line).toMatch(/^(\d\d:\d\d:\d\dZ (decision|answer|control|refused) {2}| {3}\S)/);
    expect(line.length).toBeLessThanOrEqual(80);
  }
});

test.each([
  ['control-room', 'process'],
  ['control-room', 'is refused'],
  ['control-room', 'killed'],
  ['agents', 'corpus_read'],
])('Ctrl-C in %s after "%s" ends the demo, its runs and its workers', async (name, text) => {
  const pace = name === 'agents' ? '400' : '50';
  const { code, stderr } = await interruptDemoCommand(text, cache, name, '--pace', pace);
  expect([code, stderr]).toEqual([130, expect.stringContaining('all that the demo started is stopped')]);
  gone([...stderr.matchAll(/(?:worker|process) (\d+)/g)].map(([, pid]) => Number(pid)));
  expect(stderr).not.toContain('Warning');
  if (name !== 'agents') return;
  const [, workflowId = ''] = /\/workflows\/(agents-[0-9a-f]+)/.exec(stderr) ?? [];
  const connection = await Connection.connect({ address: inject('address') });
  const { workflow } = new Client({ connection });
  const run = await workflow.getHandle(workflowId).describe();
  const agents = agentsIdOf({ workflowId, firstRunId: run.raw.workflowExecutionInfo?.firstRunId ?? '' });
  const ids = [workflowId, `${agents}.node_1`, `${agents}.node_2`];
  const standing = await Promise.all(ids.map((id) => workflow.getHandle(id).describe()));
  await connection.close();
  expect(standing.map(({ status }) => status.name)).toEqual(['TERMINATED', 'TERMINATED', 'TERMINATED']);
});

describe("with a model of one's own", () => {
  const asks = (baseURL: string) => ['--model', baseURL, '--model-name', 'served', '--pace', '0', '-o', 'json'];
  const talker = () => startModelServer(() => ({ events: chatEvents(['I would rather not.']) }));

  test('one that only talks leaves the marked fallback, which an approval in advance does not run', async () => {
    const server = await talker();
    const { code, stdout, stderr } = await runDemoCommand(cache, 'agents', ...asks(server.baseURL), '--yes');
    expect([code, stderr]).toEqual([0, expect.stringContaining('not approved in advance')]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, fallback: true, outcome: 'rejected', usage: { calls: 6 } });
    expect(server.asked).toHaveLength(6);
    expect(server.asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  test('and a memo that says what is missing, and no number', async () => {
    const { baseURL } = await talker();
    const { code, stdout, stderr } = await runDemoCommand(cache, 'market-sizing', ...asks(baseURL), '--no-kill');
    expect([code, stderr]).toEqual([0, expect.stringContaining('asks: Which region')]);
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ ok: true, outcome: 'aborted', faults: [] });
    expect(report.memo).toContain('Missing: batteries_a_year.');
  });

  test('one that plans has its plan run, and its usage told', async () => {
    const server = await startModelServer((asked) => ({ events: chatEvents([JSON.stringify(replyTo(asked))]) }));
    const { code, stdout, stderr } = await runDemoCommand(cache, 'gene-strategies', ...asks(server.baseURL), '--yes');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Planning has ended in a valid plan')]);
    expect(JSON.parse(stdout)).toMatchObject({ fallback: false, outcome: 'done', usage: { inputTokens: 10 } });
  });
});

test.each([
  [['control-room', '--goal'], 'control-room asks no model'],
  [['control-room', '--reactive', '--goal'], 'control-room asks its scripted model alone; leave out --goal'],
  [['gene-strategies', '--reactive', '--yes'], 'gene-strategies is not told step by step'],
  [['agents', '--model-name', 'x', '--yes'], 'add --model URL'],
  [['agents', '--model', 'ftp://x', '--yes'], 'expected http(s)://host/v1'],
  [['agents', '--model', 'http://user:secret@127.0.0.1:9/v1', '--yes'], 'without user, password or query'],
])('%j is refused', async (typed, problem) => {
  const { code, stderr } = await runDemoCommand(cache, ...typed);
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  expect(stderr).not.toContain('secret');
});

function replyTo({ body }: Asked): unknown {
  const { json_schema: format } = body['response_format'] as { json_schema: { name: string } };
  expect(format.name).toBe('plan');
  return { nodes: NODES, explanation: 'As asked.' };
}
