/** `planwright demo market-sizing` as a stranger runs it. */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ModelEntry } from '../../examples/from-goal/index.ts';
import type { MarketReport } from '../../examples/market-sizing/story/market-proof.ts';
import { chatEvents, startModelServer } from '../support/model-server.ts';
import { linesIn, endedWell, runDemoCommand, type Ended } from './demo-process.ts';
import { fileFolder } from '../support/folders.ts';

interface Report extends MarketReport {
  readonly ok: boolean;
  readonly workflowId: string;
  readonly calls: { readonly asked: number; readonly distinct: number; readonly unanswered: number };
  readonly faults: readonly string[];
  readonly killed?: { readonly pid: number };
  readonly csvFile: string;
  readonly modelFile: string;
}

const cache = fileFolder('demo');

describe('the market, sized to the end', () => {
  let ended: Ended;
  let report: Report;
  let ledger: readonly ModelEntry[];

  beforeAll(async () => {
    ended = await endedWell(cache, 'market-sizing', '--pace', '400');
    report = JSON.parse(ended.stdout) as Report;
    ledger = linesIn(report.modelFile) as readonly ModelEntry[];
  });

  test('the size is what the numbers make, and each number has its source', () => {
    expect(report).toMatchObject({ ok: true, outcome: 'done', faults: [] });
    expect(report.memo).toContain('Market in a year, Norrvik: 1793188.8 EUR');
    expect(report.numbers.map(({ field, from }) => `${field} ${from}`)).toEqual([
      'core.region person',
      'core.currency person',
      'price_change page',
      'battery_price page',
      'reach person',
      'households page',
      'ebikes_per_100 page',
      'replaced_share page',
      'market_size calculation',
    ]);
  });

  test('the CSV has a row for each of them', () => {
    const rows = readFileSync(report.csvFile, 'utf8').trimEnd().split('\r\n');
    expect(rows).toHaveLength(report.numbers.length + 1);
    expect(rows).toContain('households,Households,412000,,page,norrvik-households-2025.md:5');
  });

  test('the person was asked three things, and nothing twice, although the worker died', () => {
    expect(ended.stderr.match(/asks: /g)).toHaveLength(3);
    expect(ended.stderr).toContain(`worker ${report.killed?.pid} killed`);
  });

  test('the model was asked three times, and what it had said was not bought again', () => {
    const wanted = ledger.flatMap((entry) => (entry.what === 'asked' ? [entry.wants] : []));
    expect(new Set(wanted)).toEqual(new Set(['decomposition', 'planner_decision']));
    expect(report.calls).toMatchObject({ distinct: 3, asked: 3 + report.calls.unanswered });
  });

  test('leaves no worker behind', () => {
    const pids = new Set(ledger.map((entry) => entry.pid));
    expect(pids.size).toBe(2);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test('a model of your own that only talks leaves a memo that says what is missing, and no number', async () => {
  const server = await startModelServer(() => ({ events: chatEvents(['I would rather not.']) }));
  const asks = ['--model', server.baseURL, '--model-name', 'served', '--no-kill', '--pace', '0', '-o', 'json'];
  const { code, stdout, stderr } = await runDemoCommand(cache, 'market-sizing', ...asks);
  expect([code, stderr]).toEqual([0, expect.stringContaining('asks: Which region')]);
  const report = JSON.parse(stdout) as Report;
  expect(report).toMatchObject({ ok: true, outcome: 'aborted', faults: [] });
  expect(report.memo).toContain('Missing: batteries_a_year.');
});
