/** Capabilities that misbehave: their own run ends with a reason, and the worker goes on for all others. */

import { expect, inject, test } from 'vitest';
import { keepCrew } from '../chaos.ts';
import { KNOWN_WAYS } from '../known.ts';
import type { Ended } from '../ledger.ts';
import { attend } from '../operator.ts';
import { leaf, together } from '../plans.ts';
import { settle, tell } from '../report.ts';
import { openSite, type Site } from '../site.ts';

/** What a run with it ends as, and in the end says. */
const WAYS: Readonly<Record<string, RegExp>> = {
  'never ends': /^PlanFailed node_1 failed: one attempt took longer than it may/,
  'ignores abort': /^PlanFailed node_1 failed: one attempt took longer than it may/,
  'throws undefined': /^PlanFailed node_1 failed: undefined/,
  'throws null': /^PlanFailed node_1 failed: null/,
  'throws a symbol': /^PlanFailed node_1 failed: Symbol/,
  'throws a lone surrogate': /^PlanFailed node_1 failed: before . after/,
  'throws 10 MB': /^PlanFailed node_1 failed: xxx/,
  'throws a stack of 10 MB': /^PlanFailed node_1 failed: short/,
  'throws its own cause': /^PlanFailed node_1 failed: round/,
  'throws 5,000 causes': /^PlanFailed node_1 failed: cause 4999/,
  'throws a proxy': /^PlanFailed node_1 failed: /,
  'gives what is no set': /^PlanFailed node_1 failed: capability hostile: it declares a set/,
  'mutates what it is given': /^PlanFailed node_1 failed: once more/,
  'rejects unhandled': /^done|^PlanFailed node_1 failed: nobody looks/,
  'throws from a timer': /^done|^PlanFailed node_1 failed: out of a timer/,
  'blocks the event loop':
    /^PlanFailed node_1 failed: (?:its worker was not heard of|one attempt took longer|it took longer)/,
  'ends the process': /^PlanFailed node_1 failed: /,
  'fills the memory': /^PlanFailed node_1 failed: /,
};
/** No other work of the process outlives these. */
const DEADLY = ['ends the process', 'fills the memory'];
/** While it does, nothing else of the process beats. */
const BLOCKING = ['blocks the event loop'];
const HEAP_MB = 300;
/** Longer than all attempts at any of them. */
const PATIENCE_MS = 50_000;

async function inTurn(): Promise<void> {
  const site = await openSite();
  await site.hire({ heapMb: HEAP_MB });
  const keeper = keepCrew(site, { heapMb: HEAP_MB });
  const wrong: string[] = [];
  for (const [how, ends] of Object.entries(WAYS)) {
    const from = keeper.deaths();
    const end = await endWith(site, how, () => keeper.replaceAll());
    const deaths = keeper.deaths() - from;
    const isRight = ends.test(end) && (deaths === 0 || DEADLY.includes(how));
    const known = KNOWN_WAYS[how];
    if (!isRight && known === undefined) wrong.push(`${how}: ${end}; the worker died ${deaths} times`);
    const why = known === undefined ? {} : { known: isRight ? 'holds now: take it out of KNOWN_WAYS' : known };
    tell(`  ${how}`, { ends: end.slice(0, 70), 'workers died': deaths, ...why });
  }
  keeper.stop();
  const { failing } = await settle(site, 'hostile capabilities, in turn', { 'workers died': keeper.deaths() });
  expect(wrong).toEqual([]);
  expect(failing).toEqual([]);
}

if (inject('long')) test('capabilities that misbehave, one after the other', inTurn);

test('capabilities that misbehave, all at once, leave their worker to others', async () => {
  const site = await openSite();
  const worker = await site.hire();
  const ways = Object.keys(WAYS).filter((how) => ![...DEADLY, ...BLOCKING].includes(how) && !(how in KNOWN_WAYS));
  const ends = await Promise.all(ways.map((how) => endWith(site, how)));
  const wrong = ways.flatMap((how, n) => (WAYS[how]?.test(ends[n] ?? '') ? [] : [`${how}: ${ends[n]}`]));
  const { failing } = await settle(site, 'hostile capabilities, at once', { ways: ways.length });
  expect(wrong).toEqual([]);
  expect(worker.isThere()).toBe(true);
  expect(failing).toEqual([]);
});

/** How a run ends that has such work and other work beside it. `rescue`: what is done where it does not end. */
async function endWith(site: Site, how: string, rescue?: () => Promise<void>): Promise<string> {
  const given = { list: [1] };
  const parts = [leaf('hostile', how, { how, nested: given }, { context: given }), leaf('look', `beside ${how}`)];
  const started = await site.start({ goal: how, plan: together(parts) }, [], { approval: 'effects' });
  const endOf = () =>
    site.lines().find((line): line is Ended => line.kind === 'ended' && line.run === started.run.workflowId);
  await attend(site, started, PATIENCE_MS, 1);
  if (endOf() === undefined && rescue !== undefined) {
    // A worker can be there and do nothing any more.
    await rescue();
    await attend(site, started, PATIENCE_MS, 1);
  }
  const end = endOf();
  return end === undefined ? 'nothing' : `${end.outcome} ${end.reason}`;
}
