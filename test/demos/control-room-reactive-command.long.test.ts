/** `planwright demo control-room --reactive` as a stranger runs it. */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { endedWell, runDemoCommand, type Ended } from './demo-process.ts';
import { fileFolder } from '../support/folders.ts';

interface Report {
  readonly ok: boolean;
  readonly answer: string;
  readonly said: readonly { readonly step: string; readonly word: string }[];
  readonly writes: readonly {
    readonly deed: { readonly does: string };
    readonly begun: number;
    readonly arrived: number;
    readonly applied: number;
    readonly refused?: string;
  }[];
  readonly faults: readonly string[];
  readonly setPoints: Readonly<Record<string, number>>;
  readonly killed?: { readonly pid: number; readonly key: string };
  readonly aborted: { readonly by: string; readonly comment: string };
  readonly modelFile: string;
  readonly deviceFile: string;
}

interface Line {
  readonly pid: number;
  readonly key: string;
}

const cache = fileFolder('demo');

describe('the control room, asked in words and told to its end', () => {
  let ended: Ended;
  let told: string;
  let report: Report;
  const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

  beforeAll(async () => {
    ended = await endedWell(cache, 'control-room', '--reactive', '--pace', '50');
    report = JSON.parse(ended.stdout) as Report;
    told = ended.stderr.replace(/\s+/g, ' ');
  });

  test('wrote each thing once: what was approved, and what the device took', () => {
    const rows = report.writes.map(({ deed, begun, arrived, applied, refused }) => [
      ...[deed.does, begun, arrived, applied, refused?.split(':')[0]],
    ]);
    expect(rows).toEqual([
      ['pulse', 1, 1, 0, 'NOT_ARMED'],
      ['arm', 1, 1, 1, undefined],
      ['pulse', 2, 2, 1, undefined],
      ['arm', 1, 1, 1, undefined],
      ['safe', 1, 1, 1, undefined],
    ]);
    expect(report.faults).toEqual([]);
    expect(report.setPoints).toEqual({ 'CORR:1': 0.25, 'CORR:2': 0 });
  });

  test('killed the worker between a write and the end of its step; another one sent the same key', () => {
    const { pid, key } = report.killed ?? {};
    const sent = linesOf(report.deviceFile)
      .slice(1)
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.key === key);
    expect(sent.map((line) => line.pid === pid)).toEqual([true, false]);
    expect(ended.stderr).toContain(`worker ${pid} killed`);
    for (const line of sent) expect(() => process.kill(line.pid, 0)).toThrow('ESRCH');
  });

  test('asked about each step above read but the way to safety, and about nothing outside the limits', () => {
    expect(report.said.map(({ step, word }) => [step, word])).toEqual([
      ['step_4', 'rejected'],
      ['step_5', 'approved'],
      ['step_6', 'approved'],
      ['step_7', 'approved'],
      ['step_3', 'approved'],
      ['step_4', 'killed'],
    ]);
    for (const text of [
      'nobody was asked. capability corrector.pulse has these problems:',
      'OUT_OF_LIMITS: CORR:1 takes -1 to 1 mrad, at most 0.5 mrad at a time, not 0 -> 1.5',
      '│ change 0 mrad -> 0.25 mrad │ limits -1 to 1 mrad',
      '│ from the reading of step_2',
      'rejected: first-operator refused it: too much, take half',
      'failed: NOT_ARMED: CORR:1',
      'recognised it: applied, then recognised',
      'Nothing is armed, and nobody was asked.',
    ]) {
      expect(told).toContain(text);
    }
  });

  test('shows no word of the model on a card, says what is scripted and simulated, and asks no request twice', () => {
    expect(linesOf(report.modelFile).join()).toContain('certainly safe');
    expect(told).not.toContain('certainly safe');
    expect(told).toContain('The model and the people are scripted, the devices are simulated');
    const requests = linesOf(report.modelFile).flatMap(
      (line) => /"what":"asked".*?"request":"(\w+)"/.exec(line)?.[1] ?? [],
    );
    expect(new Set(requests).size).toBe(requests.length);
  });

  test('the killed run says who and why', () => {
    expect(report.aborted).toMatchObject({ by: 'second-operator', comment: 'somebody is at the magnet' });
  });
});

test.each([
  [['gene-strategies', '--reactive', '--yes'], 'gene-strategies is not told step by step'],
  [['control-room', '--reactive', '--goal'], 'control-room asks its scripted model alone; leave out --goal'],
])('%j is refused', async (typed, problem) => {
  const { code, stderr } = await runDemoCommand(cache, ...typed);
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});
