/** What ends its worker at every attempt is given up at its maximum: a person is asked, and no run fails. */

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { PLANNING, type OpenItem, type RunResult } from '../../src/protocol/index.ts';
import { openCrashSite } from '../support/crash-site.ts';
import { chatDelta, startModelServer } from '../support/model-server.ts';
import { leaves } from '../support/parts-crew.ts';
import { idsOf, planOf, task, treeOver } from '../support/plans.ts';
import type { WorkerProcess } from '../support/start-worker.ts';

const CALL = { index: 0, id: 'c', type: 'function', function: { name: 'finish', arguments: '{"answer":"all done"}' } };
const REPLY = { content: JSON.stringify({ explanation: 'As asked.', nodes: [{ id: 'a', ...idsOf('x') }] }) };
const exit = (at: string) => task('exit', { at }, { input: treeOver(leaves(20)) });

type Row = readonly [input: object, kind: string, most: number, events?: readonly unknown[]];
/** By what ends its workers: the run, the kind of the question, how many workers it takes at most, the replies of its model. */
const ROWS: Readonly<Record<string, Row>> = {
  'a compile': [planOf(exit('compile'), { approval: 'effects' }), 'fault', 5],
  'a planning': [
    { goal: 'Find x', options: { approval: 'effects' } },
    'fault',
    PLANNING.write.retry.attempts,
    [chatDelta(REPLY), chatDelta({}, 'stop')],
  ],
  'a decision': [
    { goal: 'Find x', options: { mode: 'reactive', approval: 'effects' } },
    'fault',
    4,
    [chatDelta({ tool_calls: [CALL] }), chatDelta({}, 'tool_calls')],
  ],
  'a node': [planOf(exit('work'), { lane: 'visible', approval: 'effects' }), 'failed', 5],
  'a node of a part': [planOf(exit('work'), { lane: 'parts', approval: 'effects' }), 'failed', 7],
};

test('work that ends its workers asks a person, and is done when it is tried again; a run beside it is done', async () => {
  const rows = Object.entries(ROWS).map(async ([name, row]) => [name, await endedWorkers(row)] as const);
  const asked = (kind: string) => ({ kind, isAtMost: true, outcome: 'done', beside: 'done' });
  const expected = Object.entries(ROWS).map(([name, [, kind]]) => [name, asked(kind)] as const);
  expect(Object.fromEntries(await Promise.all(rows))).toEqual(Object.fromEntries(expected));
}, 900_000);

async function endedWorkers([input, , most, events]: Row) {
  const { folder, hire, start } = await openCrashSite();
  let isHealed = false;
  let worker: WorkerProcess | undefined;
  const model =
    events &&
    (await startModelServer(() => {
      if (isHealed) return { events: [...events, 'data: [DONE]\n\n'] };
      worker?.process.kill('SIGKILL');
      return { after: 'unanswered' };
    }));
  // It is at work in every worker that is lost.
  const beside = await start(planOf(task('nap', { until: 'healed' }), { approval: 'effects' }), 'beside');
  const run = await start(input);
  let lost = -1;
  let item: OpenItem | undefined;
  while (item === undefined) {
    const next = (worker = await hire(model?.baseURL));
    lost += 1;
    const gone = once(next.process, 'exit');
    while (item === undefined && next.process.exitCode === null && next.process.signalCode === null)
      item = await Promise.race([questionOf(run), gone.then(() => undefined)]);
  }
  isHealed = true;
  await writeFile(join(folder, 'healed'), '');
  const { input: again } = item.send;
  await run.signal('control', { ...(again as object), by: 'operator' });
  const [{ outcome }, { outcome: ofBeside }] = await Promise.all([resultOf(run), resultOf(beside)]);
  return { kind: item.kind, isAtMost: lost <= most || lost, outcome, beside: ofBeside };
}

/** Has work that lost its workers beside what ended them tried again. */
async function resultOf(run: WorkflowHandle): Promise<RunResult> {
  const ended: RunResult[] = [];
  const result = (run.result() as Promise<RunResult>).then((its) => void ended.push(its));
  for (;;) {
    const [its] = ended;
    if (its !== undefined) return its;
    const item = await Promise.race([questionOf(run), result]);
    if (item !== undefined) await run.signal('control', { ...(item.send.input as object), by: 'operator' });
  }
}

/** The first question of a run; undefined if it has none at the moment, or no worker that could say so. */
async function questionOf(run: WorkflowHandle): Promise<OpenItem | undefined> {
  const [item] = await run.query<readonly OpenItem[]>('questions').catch(() => []);
  return item ?? setTimeout(200, undefined);
}
