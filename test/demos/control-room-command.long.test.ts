/** `planwright demo control-room` as a stranger runs it. */

import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { RunResult } from '../../src/protocol/index.ts';
import { interruptDemoCommand, endedWell, runDemoCommand, type Ended } from './demo-process.ts';
import { fileFolder } from '../support/folders.ts';

interface Report {
  readonly ok: boolean;
  readonly workflowId: string;
  readonly report: string;
  readonly writes: readonly {
    readonly nodeId: string;
    readonly begun: number;
    readonly arrived: number;
    readonly applied: number;
  }[];
  readonly faults: readonly string[];
  readonly killed?: { readonly pid: number; readonly written: number };
  readonly audit: readonly {
    readonly what: string;
    readonly at: string;
    readonly said: Readonly<Record<string, unknown>>;
  }[];
  readonly ledgerFile: string;
  readonly deviceFile: string;
}

const cache = fileFolder('demo');

describe('the control room, told to its end', () => {
  let ended: Ended;
  let report: Report;
  let requests: readonly {
    readonly channel: string;
    readonly value: number;
    readonly pid: number;
    readonly key: string;
  }[];

  beforeAll(async () => {
    ended = await endedWell(cache, 'control-room', '--pace', '50');
    report = JSON.parse(ended.stdout) as Report;
    requests = readFileSync(report.deviceFile, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
  });

  test('wrote to the room what was approved last, in order, and repeated only what may be repeated', () => {
    expect(requests.map(({ channel, value }) => [channel, value])).toEqual([
      ['STEER:1:OFFSET', 0.4],
      ['QUAD:1:CURRENT', 46],
      ['QUAD:1:CURRENT', 46],
      ['SHUTTER:1', 200],
    ]);
    expect(requests[1]?.key).toBe(requests[2]?.key);
    expect(report.writes.map(({ begun, arrived, applied }) => [begun, arrived, applied])).toEqual([
      [1, 1, 1],
      [2, 2, 1],
      [1, 1, 1],
    ]);
  });

  test('killed the worker after the last approval and before the first write', () => {
    expect(report.killed?.written).toBe(0);
    expect(requests.map(({ pid }) => pid)).not.toContain(report.killed?.pid);
    expect(ended.stderr).toContain(`worker ${report.killed?.pid} killed`);
  });

  test('says what the run answered at every beat', () => {
    const told = ended.stderr.replace(/\s+/g, ' ');
    for (const text of [
      'wait for operator and safety',
      '9c7514f5.node_4 asks operator: Which orbit offset, in mm?',
      'Did you mean "supply.set"?',
      'the plan still waits, as revision 1',
      'still to be approved: 1 of its nodes',
      'revision 2 is open',
      'node_6 asks again. node_5 stays approved',
      'the decision names digest 9c7514f5',
      'neither yes nor no',
      'taken: paused',
      'does not fit the schema',
      'applied, then recognised',
      'did node_8 (Expose the sample once) happen?',
      'Each of the 3 writes happened exactly once.',
      'Nothing had been written when the worker was killed',
      'Try next',
    ]) {
      expect(told).toContain(text);
    }
  });

  test('has an audit of who said what, in which role, to which plan, unverified', () => {
    const taken = report.audit.filter(({ what }) => what !== 'refused');
    expect(taken.map(({ said }) => [said['by'], said['role'], said['kind'] ?? said['action'] ?? 'answer'])).toEqual([
      ['first-operator', 'operator', 'approve-part'],
      ['first-operator', 'operator', 'approve'],
      ['second-operator', 'operator', 'edit'],
      ['first-operator', 'operator', 'approve'],
      ['safety-officer', 'safety', 'approve'],
      ['first-operator', 'operator', 'pause'],
      ['first-operator', 'operator', 'answer'],
      ['first-operator', 'operator', 'resume'],
      ['first-operator', 'operator', 'resolve'],
    ]);
    for (const { at, said } of taken)
      expect([at, said['verified']]).toEqual([expect.stringMatching(/^\d{4}-.*Z$/), false]);
    const decisions = taken
      .filter(({ what }) => what === 'decision')
      .map(({ said }) => [String(said['digest']).slice(0, 8), said['comment']]);
    expect(decisions).toEqual([
      ['9c7514f5', 'the steering first'],
      ['9c7514f5', undefined],
      ['9c7514f5', 'two more ampere'],
      ['f924d08f', 'still safe'],
      ['f924d08f', 'Okay.'],
    ]);
    const refused = report.audit.filter(({ what }) => what === 'refused');
    expect(refused.map(({ said }) => said['refusal'])).toEqual(['invalid-plan', 'wrong-answer']);
  });

  test('leaves a finished run with the answer of every step, and no worker', async () => {
    const connection = await Connection.connect({ address: inject('address') });
    const result = (await new Client({ connection }).workflow.getHandle(report.workflowId).result()) as RunResult;
    await connection.close();
    expect(result).toMatchObject({ outcome: 'done', revision: 2 });
    expect(Object.keys(result.results ?? {})).toHaveLength(9);
    expect(report.report).toContain('centred: {"channel":"BPM:1:X","value":-0.02,"unit":"mm"}');
    const lines = readFileSync(report.ledgerFile, 'utf8').trimEnd().split('\n');
    for (const pid of new Set(lines.map((line) => (JSON.parse(line) as { pid: number }).pid))) {
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    }
  });
});

test('without a kill and in text: the report, then who said what, a line or two each', async () => {
  const { code, stdout, stderr } = await runDemoCommand(cache, 'control-room', '--pace', '0', '--no-kill');
  expect([code, stderr]).toEqual([0, expect.stringContaining('exactly once')]);
  expect(stderr).not.toContain('killed');
  expect(stdout).toMatch(/^Report what was done\n/);
  const [, audit = ''] = /Who said what.*\n\n([^]*?)\n\n/.exec(stderr) ?? [];
  const lines = audit.split('\n');
  for (const line of lines) expect(line).toMatch(/^(\d\d:\d\d:\d\dZ (decision|answer|control|refused) {2}| {3}\S)/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(audit).not.toContain('{"seq"');
});

test.each(['process', 'is refused', 'killed'])(
  'Ctrl-C after "%s" ends the demo, its run and its workers',
  async (text) => {
    const { code, stderr } = await interruptDemoCommand(text, cache, 'control-room', '--pace', '50');
    expect([code, stderr]).toEqual([130, expect.stringContaining('all that the demo started is stopped')]);
    for (const [, pid] of stderr.matchAll(/(?:worker|process) (\d+)/g)) {
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    }
    expect(stderr).not.toContain('Warning');
  },
);
