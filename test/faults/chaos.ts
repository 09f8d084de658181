/** Faults at random moments, while work is in flight, until the runs have ended. */

import { HEARTBEAT_MS } from './capabilities.ts';
import type { Member, WorkerSettings } from './crew.ts';
import { deedsOf } from './ledger.ts';
import type { Random } from './random.ts';
import { until, type Site } from './site.ts';

/** What can be done to workers; each leaves at least one at work. */
export const WORKER_FAULTS = {
  'kill -9': async (site, random) => {
    await random.pick(site.crew()).kill();
    if (site.crew().length === 0) await site.hire();
  },
  'kill all': async (site) => {
    await Promise.all(site.crew().map((member) => member.kill()));
    await site.hire();
  },
  freeze: (site, random) => random.pick(site.crew()).freeze(HEARTBEAT_MS + 1000),
  'rolling replacement': async (site, random) => {
    const old = random.pick(site.crew());
    await site.hire();
    await old.stop();
  },
  'another worker': async (site) => {
    if (site.crew().length < 2) await site.hire();
  },
} as const satisfies Record<string, (site: Site, random: Random) => Promise<unknown>>;

export type Faults = Readonly<Record<string, (site: Site, random: Random) => Promise<unknown>>>;

/** Makes faults, at most `most`, until `over` resolves. Between two of them some work begins. */
export async function torment(
  site: Site,
  random: Random,
  faults: Faults,
  most: number,
  over: Promise<unknown>,
): Promise<void> {
  const work = { isOver: false };
  void over.then(() => (work.isOver = true));
  const kinds = Object.entries(faults);
  for (let made = 0; made < most && !work.isOver; made++) {
    const from = deedsOf(site.lines(), 'begin').length;
    const more = 1 + random.below(4);
    const isTime = () => deedsOf(site.lines(), 'begin').length >= from + more && site.flying().length > 0;
    // Where nothing is left to begin, what is still at work is enough.
    await until('work is in flight', () => work.isOver || isTime(), 10_000).catch(() => undefined);
    if (work.isOver) return;
    const [name, make] = random.pick(kinds);
    await site.fault(name, () => make(site, random));
  }
}

interface Keeper {
  /** Workers that have ended, or had to be. */
  deaths(): number;
  /** Ends those that are there; others come in their place. */
  replaceAll(): Promise<void>;
  stop(): void;
}

/** Hires a worker for each that ends, as whatever keeps processes does. */
export function keepCrew(site: Site, over: Partial<WorkerSettings> = {}): Keeper {
  const state = { deaths: 0, isOver: false };
  const watch = (member: Member) =>
    void member.ended.then(async () => {
      if (state.isOver) return;
      state.deaths += 1;
      watch(await site.hire(over));
    });
  for (const member of site.crew()) watch(member);
  return {
    deaths: () => state.deaths,
    async replaceAll() {
      await Promise.all(site.crew().map((member) => member.kill()));
      await until('another worker is there', () => site.crew().length > 0);
    },
    stop: () => void (state.isOver = true),
  };
}
