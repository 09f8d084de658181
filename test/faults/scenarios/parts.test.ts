/** Workers are killed while parts are under way: what the store has by then is not carried out again, and nothing is lost. */

import { anywhere } from '../../support/anywhere.ts';
import { expect, inject, test } from 'vitest';
import { createFileStore, readResult } from '../../../src/store/index.ts';
import type { HistoryBudget } from '../../../src/protocol/index.ts';
import { countKept, keptNames } from '../kept.ts';
import { deedsOf } from '../ledger.ts';
import { attend } from '../operator.ts';
import { leaf, together } from '../plans.ts';
import { createRandom, seeds, type Random } from '../random.ts';
import { settle } from '../report.ts';
import { openSite, until } from '../site.ts';

const isLong = inject('long');
const [RUNS, LEAVES, KILLS] = isLong ? [4, 150, 12] : [2, 40, 2];
const OPTIONS = { approval: 'effects', onFailure: 'ask', lane: 'parts', concurrency: 8 } as const;
/** A history holds a few activities. */
const TINY: HistoryBudget = { soft: { events: 40, bytes: 2 ** 20 }, hard: { events: 400, bytes: 4 * 2 ** 20 } };

const READS = ['look'];
const MIXED = ['look', 'look', 'look', 'look', 'look', 'look', 'mark', 'mark-once', 'choose'];

test.each(seeds(isLong ? 3 : 1))(
  'kill -9 at random moments of parts, of reads and of mixed plans, seed %i',
  async (seed) => {
    const random = createRandom(seed);
    const site = await openSite();
    const hire = () => site.hire({ slots: 8, budget: TINY });
    await hire();
    const works = Array.from({ length: RUNS }, (_, run) => workOf(random, `r${run}`, run % 2 === 0 ? READS : MIXED));
    const started = await Promise.all(works.map(({ document, names }) => site.start(document, names, OPTIONS)));
    const over = { is: false };
    const attended = Promise.all(started.map((one) => attend(site, one, 600_000))).then(() => (over.is = true));
    const kills: { readonly kept: ReadonlySet<string>; readonly from: number }[] = [];
    while (kills.length < KILLS && !over.is) {
      const more = (await countKept(site.storeDir)) + 5 + random.below(LEAVES / 2);
      await until('more is kept', async () => over.is || (await countKept(site.storeDir)) >= more, 120_000);
      if (over.is) break;
      await site.fault('kill -9', () => Promise.all(site.crew().map((member) => member.kill())));
      kills.push({ kept: await keptNames(site.storeDir), from: site.lines().length });
      await hire();
    }
    await attended;
    const again = kills.flatMap(({ kept, from }) =>
      deedsOf(site.lines().slice(from), 'begin').filter(({ name, effect }) => effect === 'read' && kept.has(name)),
    );
    const kept = kills.map((kill) => kill.kept.size).join(' ');
    const { failing } = await settle(site, `parts killed, seed ${seed}`, {
      kept,
      'kept and begun again': again.length,
    });
    expect(kills.some((kill) => kill.kept.size > 0)).toBe(true);
    expect(again).toEqual([]);
    expect(failing).toEqual([]);
    for (const [at, { run }] of started.entries()) {
      const { how, ...end } = await run.end();
      expect(how).toBe('completed');
      const ref = 'result' in end ? (end.result.result?.ref ?? '') : '';
      const result = await readResult(anywhere(createFileStore(site.storeDir)), ref);
      expect(result.kind === 'set' && works[at]?.names.filter((name) => !result.set.ids.includes(name))).toEqual([]);
    }
  },
  900_000,
);

/** A union of leaves, some of which stand on others; its result has the name of every leaf that another does not take. */
function workOf(random: Random, run: string, kinds: readonly string[]) {
  const names: string[] = [];
  const leaves: object[] = [];
  for (let n = 0; n < LEAVES; n += 1) {
    const kind = random.pick(kinds);
    const name = `${run}-${kind}-${n}`;
    const below = n % 4 === 3 ? leaves.at(-1) : undefined;
    leaves.push(leaf(kind, name, { ms: random.below(400) }, below === undefined ? {} : { input: below }));
    if (kind !== 'choose') names.push(name);
  }
  return { document: { goal: `work of ${run}`, plan: together(leaves) }, names };
}
