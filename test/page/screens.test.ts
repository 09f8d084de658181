/** The main screens, wide and light, narrow and dark: axe finds nothing, and nothing is wider than its screen. */

import axeCore from 'axe-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OpenItem, RunEnd, TraceEntry } from '../../src/protocol/index.ts';
import type { Seen } from '../../src/page/watch.ts';
import { encodeResult, refOfBytes, type Result } from '../../src/store/index.ts';
import { createSet } from '../../src/plan/algebra/index.ts';
import { NO_CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { nodesOf, seenOf, treePlan, waitingOf } from './scenes.ts';
import { stageOf } from './stage.ts';

const objects = new Map<string, Uint8Array>();
function stored(result: Result, count: number) {
  const encoded = encodeResult(result);
  if (!encoded.ok) throw new Error(encoded.message);
  const ref = refOfBytes(encoded.bytes);
  objects.set(ref, encoded.bytes);
  return { ref, kind: result.kind, count, bytes: encoded.bytes.length };
}

const plan = treePlan(6, (place) => place <= 2);
const WAITS = waitingOf(plan);
const [APPROVAL] = WAITS.open;
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, 5 + seconds)).toISOString();

function asking(...items: readonly Partial<OpenItem>[]): Seen {
  const { effects: _, asks: __, ...item } = APPROVAL!;
  return { ...WAITS, open: items.map((one, place) => ({ ...item, id: `q${place}`, ...one })) };
}

function ended(result: Result, count: number): Seen {
  const records = stored({ kind: 'set', set: createSet([{ id: 'a' }, { id: 'b' }]) }, 2);
  const nodes = nodesOf(plan, (place) => ({
    ...{
      status: 'succeeded',
      result: records,
      scheduledAt: at(place),
      startedAt: at(place + 1),
      endedAt: at(place + 9),
    },
    ...(place === 2 && { attempt: 2, before: 'worker lost', worker: '4711@host' }),
  }));
  const results = Object.fromEntries(Array.from({ length: 150 }, (_, place) => [`s${place}`, records]));
  const facts = { outcome: 'done', digest: plan.digest, revision: 1, result: stored(result, count), results };
  const end = { how: 'completed', result: facts } as unknown as RunEnd;
  return seenOf(plan, nodes, { end, endedAt: at(60) });
}

const ROWS = Array.from({ length: 240 }, (_, place) => ({
  supplier: `Shop ${place}`,
  price: 12.5 * place,
  stock: true,
}));
const FAILED = nodesOf(plan, (place) => ({
  status: place % 3 === 0 ? 'failed' : 'skipped',
  endedAt: at(place),
  failure: { type: 'RETRIABLE', message: `host-${place} answered 502` },
}));
const QUESTION = {
  type: 'object',
  properties: { day: { type: 'string', format: 'date' }, dry: { type: 'boolean' }, how: { enum: ['fast', 'slow'] } },
  required: ['day'],
};
const asked = { kind: 'question', text: 'Which day is it?', schema: QUESTION } as unknown as Partial<OpenItem>;
const effect = { effects: APPROVAL!.effects!.slice(0, 1), nodes: ['node_1'], nodeCount: 1 };

const GENES = 'All genes of both regions. ';
const said = { kind: 'approve', by: 'ann', digest: plan.digest, revision: 1, verified: true };
const TRACE = [{ seq: 1, at: at(0), what: 'decision', text: 'approve by ann', said }] as unknown as TraceEntry[];

const SCREENS: Readonly<Record<string, readonly [seen: Seen, path?: string, shows?: RegExp]>> = {
  'a plan that waits': [WAITS],
  questions: [
    asking(asked, { kind: 'uncertain', text: 'did it happen?', ...effect }, { kind: 'failed', text: 'it failed' }),
  ],
  'a run with failures': [seenOf(plan, FAILED)],
  'a table as answer': [
    ended({ kind: 'value', value: ROWS }, 1),
    '',
    /Shop 9 112.5 true and 230 more rows: all of it as TSV JSON s0/,
  ],
  'a text as answer': [
    ended({ kind: 'text', text: GENES.repeat(90) }, 2430),
    '',
    /Decided .*approve by ann.*and 430 more characters/,
  ],
  'a result': [ended({ kind: 'value', value: ROWS }, 1), '/result?node=node_1'],
  'a node': [seenOf(plan, FAILED), '/nodes/node_1', /Given .* Gave failed/],
  'all nodes': [WAITS, '/nodes'],
  'all effects': [WAITS, '/effects'],
  'an edit': [WAITS, '/edit'],
  'an inbox': [asking(asked, { kind: 'failed', text: 'it failed' }), '..'],
  'a new plan': [WAITS, '../new'],
  'a key': [WAITS, '../key'],
};

describe.skipIf(NO_CHROMIUM !== '')(`the screen of ${NO_CHROMIUM}`, () => {
  describe.each([
    [1280, 800, 'light'],
    [390, 844, 'dark'],
  ] as const)('%i x %i, %s:', (width, height, colorScheme) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser('http://127.0.0.1', width, true, height);
      await browser.page.emulateMedia({ colorScheme });
    });
    afterAll(() => browser.close());

    test.each(Object.entries(SCREENS))('%s', async (name, [seen, path = '', shows = /./]) => {
      const { page } = browser;
      const stage = await stageOf(seen, objects, TRACE);
      onTestFinished(async () => {
        await page.goto('about:blank');
        await stage.close();
      });
      const run = `/runs/${seen.workflowId}`;
      const answer = await page.goto(stage.origin + (path.startsWith('..') ? `/${path.slice(3)}` : run + path));
      expect([answer?.status(), (await page.innerText('main')).replaceAll(/\s+/g, ' ')]).toEqual([
        200,
        expect.stringMatching(shows),
      ]);
      await browser.picture(`${colorScheme}-${name.replaceAll(' ', '-')}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await page.evaluate(axeCore.source);
      const { violations } = (await page.evaluate('axe.run()')) as axeCore.AxeResults;
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 300))])).toEqual([]);
    });
  });
});
