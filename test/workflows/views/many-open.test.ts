/** Thousands of things that wait for people at once: how often a turn, and all that is shown after it, looks at each. */

import { numbered } from '../../../src/workflows/run/records.ts';
import { expect, test } from 'vitest';
import type { NodeEnd, RunOptions } from '../../../src/protocol/index.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { rolesWaitedFor } from '../../../src/workflows/views/openings.ts';
import { statusOf, nodesOf } from '../../../src/workflows/views/views.ts';
import { openedRun, BROKE, bring, landed, turn, underWay, wideShape } from '../run/make-run.ts';

const MANY = 8000;
const OPEN = { approval: { rules: [{ capability: 'none' }] }, concurrency: 2 * MANY, lane: 'visible' } as const;

/** How many entries of these records were looked at. */
let looked = 0;

function counted<Entries extends object>(entries: Entries): Entries {
  return new Proxy(entries, {
    get(target, key) {
      looked += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
}

/** The first half of the nodes asks, each a role of its own; the other half has failed and waits to be settled. */
function openRun(options: Partial<RunOptions> = {}) {
  const run = openedRun(wideShape(2 * MANY), { ...OPEN, onFailure: 'ask', ...options });
  turn(run);
  const failed: NodeEnd = { ...BROKE, status: 'failed' };
  for (const [id, work] of [...numbered(run.tasks)]) {
    if (work.kind !== 'node') continue;
    if (work.node < MANY) landed(run, id, { asks: { text: 'which?', roles: [`role ${work.node}`] } });
    else bring(run, work.node, failed);
  }
  run.state = { ...run.state, questions: counted(run.state.questions) };
  run.execution = { ...run.execution!, unsettled: counted(run.execution!.unsettled) };
  return run;
}

test('with 8,000 questions and 8,000 nodes to settle a turn looks at each a few times, and so does each thing that is shown', () => {
  const run = openRun();
  const open = [run.state.questions, run.execution!.unsettled].map((one) => Object.keys(one).length);
  expect([underWay(run), ...open]).toEqual([[], MANY, MANY]);
  const share: Record<string, number> = {};
  const before = process.cpuUsage();
  for (const [what, act] of Object.entries({
    turn: () => turn(run),
    details: () => runDetails(run),
    roles: () => rolesWaitedFor(run),
    status: () => statusOf(run),
    page: () => questionsOf(run, { limit: 100 }),
  })) {
    looked = 0;
    act();
    share[what] = looked / (2 * MANY);
  }
  const { user, system } = process.cpuUsage(before);
  console.info(
    `a turn with ${2 * MANY} open items, and all that is shown: ${Math.round((user + system) / 1000)} ms of CPU`,
  );
  // Counted: deadlines twice; the rest once each, but for the first few of a list.
  expect(Object.keys(share).filter((what) => share[what]! > 2.1)).toEqual([]);
  expect(share['page']).toBeLessThan(0.02);
});

test('a page of 500 nodes looks at the node sets of the consents once for each node of it', () => {
  const rules = [{ effect: 'read', count: 3 }] as const;
  const run = openedRun(wideShape(MANY), { approval: { rules } });
  const nodes = counted(Object.fromEntries(Array.from({ length: MANY }, (_, node) => [node, true as const])));
  const consents = ['one', 'two'].map((by) => ({ by, person: by, nodes, at: '' }));
  run.state.approval = { ...run.state.approval, consents };
  looked = 0;
  const page = nodesOf(run, { limit: 500 });
  expect(page.nodes[499]).toMatchObject({ missing: [{ count: 1, of: 3 }], approvedBy: ['one', 'two'] });
  expect(looked).toBeLessThan(10 * 500);
});
