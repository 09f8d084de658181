/** `planwright demo gene-strategies` as a stranger runs it. */

import { Client, Connection } from '@temporalio/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { linesIn, endedWell, runDemoCommand, type Ended } from './demo-process.ts';
import { plainAnswers } from './oracle.ts';
import { fileFolder } from '../support/folders.ts';

interface Report {
  readonly workflowId: string;
  readonly count: number;
  readonly nodes: Readonly<Record<string, number>>;
  readonly killed?: {
    readonly pid: number;
    readonly finished: readonly string[];
    readonly inFlight: readonly string[];
  };
  readonly ledgerFile: string;
}

interface Line {
  readonly what: string;
  readonly pid: number;
  readonly nodeId: string;
  readonly idempotencyKey: string;
}

const cache = fileFolder('demo');

describe('the demo with its kill', () => {
  let ended: Ended;
  let report: Report;
  let lines: readonly Line[];

  beforeAll(async () => {
    ended = await endedWell(cache, 'gene-strategies', '--yes');
    report = JSON.parse(ended.stdout) as Report;
    lines = linesIn(report.ledgerFile) as readonly Line[];
  });

  test('gives the answer of the oracle', () => {
    expect(report.count).toBe(plainAnswers().root.size);
    expect(report.nodes[`node_${Object.keys(report.nodes).length}`]).toBe(report.count);
  });

  test('kills a worker with nodes finished and in flight', () => {
    expect(report.killed?.finished.length).toBeGreaterThanOrEqual(3);
    expect(report.killed?.inFlight.length).toBeGreaterThanOrEqual(1);
    expect(new Set(lines.map(({ pid }) => pid)).size).toBe(2);
    expect(ended.stderr).toContain(`worker ${report.killed?.pid} killed`);
  });

  test('starts no node again that had finished, and only those again that were in flight', () => {
    const starts = (node: string) => lines.filter(({ what, nodeId }) => what === 'started' && nodeId === node);
    const { finished = [], inFlight = [], pid } = report.killed ?? {};
    for (const node of Object.keys(report.nodes)) {
      expect([node, starts(node).length]).toEqual([node, inFlight.includes(node) ? 2 : 1]);
      if (finished.includes(node)) expect(starts(node)[0]?.pid).toBe(pid);
      expect(new Set(starts(node).map((start) => start.idempotencyKey)).size).toBe(1);
    }
  });

  test('leaves one completion of every node in the history', async () => {
    const connection = await Connection.connect({ address: inject('address') });
    const { events } = await new Client({ connection }).workflow.getHandle(report.workflowId).fetchHistory();
    await connection.close();
    const names = new Map(
      events?.map((event) => [String(event.eventId), event.activityTaskScheduledEventAttributes?.activityId]),
    );
    const completed = events?.flatMap(({ activityTaskCompletedEventAttributes: done }) =>
      done ? [names.get(String(done.scheduledEventId))] : [],
    );
    expect(completed?.sort()).toEqual(['compile', ...Object.keys(report.nodes)].sort());
  });

  test('leaves no worker behind', () => {
    for (const pid of new Set(lines.map((line) => line.pid))) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('the demo otherwise', () => {
  test('without a kill every node starts once, and text gives the answer on stdout', { tags: ['slow'] }, async () => {
    const { code, stdout, stderr } = await runDemoCommand(
      cache,
      'gene-strategies',
      '--yes',
      '--no-kill',
      '--pace',
      '0',
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('Each node was started once')]);
    // The name of whoever is at this machine is in no decision.
    expect(stderr).toMatch(/approved by demo$/m);
    expect(stderr).toContain('2,149 exons\n');
    expect(firstLines(stdout)).toEqual([10, 'and 2,139 more lines; all of them, with the settings below:']);
  });

  test('without a terminal it approves by itself, says so in one line, and goes on', { tags: ['slow'] }, async () => {
    const ended = await runDemoCommand(cache, 'gene-strategies', '--no-kill', '--pace', '0');
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringMatching(/approved by demo$/m)]);
    expect(ended.stderr.split('\n')[0]).toBe('Nobody can be asked here: the demo approves as "demo".');
    expect(firstLines(ended.stdout)).toEqual([10, 'and 2,139 more lines; all of them, with the settings below:']);
    expect(ended.stdout).toMatch(/\n {2}npx planwright result gene-strategies-[\da-f]{6}\n$/);
    expect(ended.stderr.split('\n').filter((line) => line.length > 95 || /[✔✖]/.test(line))).toEqual([]);
  });

  test('lists the demos, and says which there are', async () => {
    const { code, stdout } = await runDemoCommand(cache);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^gene-strategies .*\ncontrol-room .*\nagents .*\nmarket-sizing /),
    ]);
    expect(await runDemoCommand(cache, 'nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('gene-strategies'),
    });
  });

  test.each(['-1', 'fast', '60001'])('refuses the pace %s', async (pace) => {
    expect(await runDemoCommand(cache, 'gene-strategies', '--yes', '--pace', pace)).toMatchObject({ code: 2 });
  });
});

/** How many ids, and what follows them. */
function firstLines(stdout: string): readonly [number, string | undefined] {
  const lines = stdout.trimEnd().split('\n');
  const more = lines.findIndex((line) => line.startsWith('and '));
  return [more, lines[more]];
}
