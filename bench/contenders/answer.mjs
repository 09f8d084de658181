/** The contender's side of the channel (`bench/contender.ts`): one program, which serves or works as it is told. */

import { readFileSync } from 'node:fs';

/** @import { Cannot, Ready, Reply, Request, KeptRequest } from '../contender.ts' */
/** @typedef {{ [Does in Exclude<Request['does'], 'runs'>]: (request: Extract<Request, { does: Does }>) => Promise<Reply> | Cannot }} Deeds */

/** The heap is looked at so often while it grows. */
const SAMPLE_MS = 50;

/**
 * Takes the role that the command line names, and ends when the channel closes.
 * @template {object} Place
 * @param {object} contender
 * @param {() => Promise<{ place: Place, kept: (request: KeptRequest) => Promise<number[]>, stop: () => Promise<void> }>} contender.serve
 * @param {(place: Place, options: Record<string, unknown>) => Promise<{ ready: Ready, deeds: Deeds, close: () => Promise<void> }>} contender.work
 * @returns {Promise<void>}
 */
export async function contend({ serve, work }) {
  const [role, given = '{}'] = process.argv.slice(2);
  if (role === 'serve') {
    // Ctrl-C reaches every process of a terminal: the servers end with the channel, not without being stopped.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
    const { place, kept, stop } = await serve();
    await answer(place, async (/** @type {KeptRequest} */ request) => ({ kept: await kept(request) }));
    await stop();
    return;
  }
  const { place, options } = JSON.parse(given);
  const { ready, deeds, close } = await work(place, options);
  await answer(ready, async (/** @type {Request} */ request) => {
    if (request.does === 'runs') return runsOf(request, deeds);
    /** @type {(request: any) => Promise<Reply> | Cannot} */
    const deed = deeds[request.does];
    return 'facts' in request ? withGrowth(async () => deed(request)) : deed(request);
  });
  await close();
}

/**
 * The same plan many times, some at once: the time of all together.
 * @param {Extract<Request, { does: 'runs' }>} request
 * @param {Deeds} deeds
 * @returns {Promise<Reply>}
 */
async function runsOf({ shape, runs }, { plan }) {
  const from = performance.now();
  await each(runs, async () => void (await plan({ does: 'plan', shape, unchecked: true })));
  const ms = performance.now() - from;
  return { ms, facts: { runsASecond: Math.round((10_000 * runs) / ms) / 10 } };
}

/**
 * A reply that throws ends this process, and so the measurement, with the reason on the terminal.
 * @param {object} ready
 * @param {(request: any) => Promise<object>} reply
 * @returns {Promise<void>} when the channel has closed
 */
function answer(ready, reply) {
  process.on('message', (request) => {
    void reply(request).then((replied) => process.send?.(replied));
  });
  process.send?.({ ready });
  return new Promise((resolve) => process.once('disconnect', () => resolve()));
}

/**
 * With the most that the heap of the main thread and the whole process took above what they had before.
 * @param {() => Promise<Reply>} deed
 * @returns {Promise<Reply>}
 */
async function withGrowth(deed) {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const most = { ...before };
  const look = () => {
    const { heapUsed, rss } = process.memoryUsage();
    most.heapUsed = Math.max(most.heapUsed, heapUsed);
    most.rss = Math.max(most.rss, rss);
  };
  const timer = setInterval(look, SAMPLE_MS);
  const went = await deed();
  clearInterval(timer);
  look();
  if ('cannot' in went) return went;
  const mb = (/** @type {'heapUsed' | 'rss'} */ what) => Math.round((most[what] - before[what]) / 1e6);
  return { ...went, facts: { ...went.facts, heapMb: mb('heapUsed'), rssMb: mb('rss') } };
}

/**
 * The version that a package.json has.
 * @param {URL} url
 * @returns {string}
 */
export function versionIn(url) {
  return JSON.parse(readFileSync(url, 'utf8')).version;
}

/**
 * Carries something out for each number below `count`, so many at once.
 * @param {number} count
 * @param {(at: number) => Promise<void>} once
 * @returns {Promise<void>}
 */
export async function each(count, once) {
  let next = 0;
  const turns = async () => {
    while (next < count) await once(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, turns));
}

/** Enough to keep two cores busy; more would wait for each other until their deadlines. */
const AT_ONCE = 20;
