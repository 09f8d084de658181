/** `planwright demo agents`, and demos with a model of one's own, as a stranger runs them. */

import { agentsIdOf } from '../../src/protocol/index.ts';
import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { ModelEntry } from '../../examples/from-goal/index.ts';
import { NODES } from '../../examples/gene-strategies/planner-script.ts';
import { chatEvents, startModelServer, type Asked } from '../support/model-server.ts';
import { interruptDemoCommand, linesIn, endedWell, runDemoCommand, type Ended } from './demo-process.ts';
import { fileFolder } from '../support/folders.ts';

interface Report {
  readonly ok: boolean;
  readonly workflowId: string;
  readonly answer: string;
  readonly calls: { readonly asked: number; readonly distinct: number; readonly unanswered: number };
  readonly filed: readonly { readonly text: string; readonly pid: number }[];
  readonly faults: readonly string[];
  readonly fallback: { readonly workflowId: string; readonly agent: string };
  readonly killed?: { readonly pid: number; readonly unheard: number };
  readonly ledgerFile: string;
  readonly modelFile: string;
}

const cache = fileFolder('demo');

describe('the researchers and the writer, told to their end', () => {
  let ended: Ended;
  let report: Report;
  let ledger: readonly ModelEntry[];

  beforeAll(async () => {
    ended = await endedWell(cache, 'agents', '--pace', '400');
    report = JSON.parse(ended.stdout) as Report;
    ledger = linesIn(report.modelFile) as readonly ModelEntry[];
  });

  test('killed the worker with replies in its hands, and bought none of them again', () => {
    const { pid, unheard = 0 } = report.killed ?? {};
    expect(unheard).toBeGreaterThanOrEqual(1);
    expect(ended.stderr).toContain(`worker ${pid} killed`);
    const requests = ledger.flatMap((entry) => (entry.what === 'asked' ? [entry.request] : []));
    expect(new Set(requests).size).toBe(requests.length - report.calls.unanswered);
    expect(report.calls).toMatchObject({ asked: requests.length, distinct: new Set(requests).size });
    expect(report.faults).toEqual([]);
    const pids = new Set(ledger.map((entry) => entry.pid));
    expect([pids.size, pids.has(pid ?? 0)]).toEqual([2, true]);
  });

  test('both researchers were at work before the worker died, and the writer after', () => {
    const { pid } = report.killed ?? {};
    const who = (isKilled: boolean) =>
      new Set(
        ledger.flatMap((entry) =>
          entry.what === 'asked' && entry.wants === 'step' && (entry.pid === pid) === isKilled ? [entry.task] : [],
        ),
      );
    expect([...who(true)].toSorted()).toEqual([
      ...['Find the figures of the Norholm ferry', 'Find the figures of the Sandvik ferry'],
    ]);
    expect(who(false)).toContain('Compare the two ferries, and file a report');
  });

  test('filed one report, with the numbers of the corpus, and answered with it', () => {
    expect(report.filed).toHaveLength(1);
    for (const text of [report.filed[0]?.text, report.answer]) {
      expect(text).toContain('Norholm: 1370 passengers on 151 crossings, 3 called off');
      expect(text).toContain('Sandvik: 1734 passengers on 162 crossings, 9 called off');
    }
    const told = ended.stderr.replace(/\s+/g, ' ');
    expect(told).toContain('with the capability "report.file", given the arguments {"text":"Norholm: 1370');
  });

  test('Calute: fallback: prose leaves one step for the first agent, which waits for a person', () => {
    expect(report.fallback.agent).toBe('researcher');
    const told = ended.stderr.replace(/\s+/g, ' ');
    for (const text of ['Ferries are lovely.', 'no model has made a valid one', 'nothing of it was run']) {
      expect(told).toContain(text);
    }
    const nodes = readFileSync(report.ledgerFile, 'utf8');
    expect(nodes).not.toContain(report.fallback.workflowId);
  });

  test('leaves no worker behind', () => {
    for (const pid of new Set(ledger.map((entry) => entry.pid))) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test('Ctrl-C while the agents work ends the demo, its runs and its workers', async () => {
  const { code, stderr } = await interruptDemoCommand('corpus_read', cache, 'agents', '--pace', '400');
  expect([code, stderr]).toEqual([130, expect.stringContaining('all that the demo started is stopped')]);
  for (const [, pid] of stderr.matchAll(/(?:worker|process) (\d+)/g)) {
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  }
  const [, workflowId = ''] = /\/workflows\/(agents-[0-9a-f]+)/.exec(stderr) ?? [];
  const connection = await Connection.connect({ address: inject('address') });
  const { workflow } = new Client({ connection });
  const run = await workflow.getHandle(workflowId).describe();
  const agents = agentsIdOf({ workflowId, chain: run.raw.workflowExecutionInfo?.firstRunId ?? '' });
  const standing = await Promise.all(
    [workflowId, `${agents}.node_1`, `${agents}.node_2`].map((id) => workflow.getHandle(id).describe()),
  );
  await connection.close();
  expect(standing.map(({ status }) => status.name)).toEqual(['TERMINATED', 'TERMINATED', 'TERMINATED']);
});

test('gene-strategies from the goal: the compiler corrects the plan before it is shown', async () => {
  const { code, stdout, stderr } = await runDemoCommand(
    cache,
    ...['gene-strategies', '--goal', '--yes', '--no-kill', '--pace', '0'],
  );
  expect([code, stderr]).toEqual([0, expect.stringContaining('Each node was started once')]);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2149);
  const told = stderr.replace(/\s+/g, ' ');
  for (const text of [
    'coding: Keep the exons of protein-coding transcripts (records.filter)',
    'There is no capability "records.filter"',
    '$.nodes[2].arguments.track',
    'writes the plan again',
    'coding: Keep the exons of protein-coding transcripts (records.named)',
    '2 model calls',
  ]) {
    expect(told).toContain(text);
  }
});

describe("with a model of one's own", () => {
  const model = (baseURL: string) => [
    '--model',
    baseURL,
    '--model-name',
    'served',
    '--yes',
    '--pace',
    '0',
    '-o',
    'json',
  ];

  test('one that only talks leaves the marked fallback, which an approval in advance does not run', async () => {
    const server = await startModelServer(() => ({ events: chatEvents(['I would rather not.']) }));
    const { code, stdout, stderr } = await runDemoCommand(cache, 'agents', ...model(server.baseURL));
    expect([code, stderr]).toEqual([0, expect.stringContaining('not approved in advance')]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, fallback: true, outcome: 'rejected', usage: { calls: 6 } });
    expect(server.asked).toHaveLength(6);
    expect(server.asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  test('one that plans has its plan run, and its usage told', async () => {
    const server = await startModelServer((asked) => ({ events: chatEvents([JSON.stringify(replyTo(asked))]) }));
    const { code, stdout, stderr } = await runDemoCommand(cache, 'gene-strategies', ...model(server.baseURL));
    expect([code, stderr]).toEqual([0, expect.stringContaining('Planning has ended in a valid plan')]);
    expect(JSON.parse(stdout)).toMatchObject({ fallback: false, outcome: 'done', usage: { inputTokens: 10 } });
  });

  test.each([
    [['control-room', '--goal'], 'control-room asks no model'],
    [['agents', '--model-name', 'x', '--yes'], 'add --model URL'],
    [['agents', '--model', 'ftp://x', '--yes'], 'expected http(s)://host/v1'],
    [['agents', '--model', 'http://user:secret@127.0.0.1:9/v1', '--yes'], 'without user, password or query'],
  ])('%j is refused', async (typed, problem) => {
    const { code, stderr } = await runDemoCommand(cache, ...typed);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(stderr).not.toContain('secret');
  });
});

function replyTo({ body }: Asked): unknown {
  const { json_schema: format } = body['response_format'] as { json_schema: { name: string } };
  expect(format.name).toBe('plan');
  return { nodes: NODES, explanation: 'As asked.' };
}
