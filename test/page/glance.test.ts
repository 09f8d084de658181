/** What a person sees of a run before anything is scrolled, in Chromium, on a wide and on a narrow screen; and of what a page was not drawn for. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OpenItem } from '../../src/protocol/index.ts';
import type { Seen } from '../../src/page/watch.ts';
import { NO_CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { compiled, nodesOf, seenOf, treePlan, waitingOf } from './scenes.ts';
import { stageOf } from './stage.ts';

const SCREENS = [
  [1280, 800, true],
  [390, 844, false],
] as const;

function titled(task: string): Seen {
  const leaf = (name: string) => ({ task: name, capability: 'order', arguments: { name } });
  return waitingOf(compiled({ goal: task, plan: { operator: 'UNION', left: leaf(task), right: leaf('Short') } }));
}

/** Questions, in place of the approval. */
function asking(...questions: readonly Partial<OpenItem>[]): Seen {
  const seen = titled('Ask');
  const { effects: _effects, asks: _asks, ...item } = seen.open[0]!;
  return {
    ...seen,
    open: questions.map((one, at) => ({ ...item, kind: 'question', id: `q${at}`, ...one })),
  };
}

const isEarly = (at: number) => at <= 5;
const ARABIC = '\u0623\u0648\u062c\u062f';

describe.skipIf(NO_CHROMIUM !== '')(`at a glance ${NO_CHROMIUM}`, () => {
  describe.each(SCREENS)('on %i x %i, with a script: %s', (width, height, scripts) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser('http://127.0.0.1', width, scripts, height);
    });
    afterAll(() => browser.close());

    async function looked(seen: Seen, path = `/runs/${seen.workflowId}`) {
      const stage = await stageOf(seen);
      const { page } = browser;
      onTestFinished(async () => {
        await page.goto('about:blank');
        await stage.close();
      });
      await page.goto(stage.origin + path);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      return { page, stage };
    }

    async function boxesOf(selector: string) {
      const boxes = await Promise.all((await browser.page.locator(selector).all()).map((one) => one.boundingBox()));
      return boxes.map((box) => box!);
    }
    const pageHeight = () => browser.page.evaluate('document.body.scrollHeight');

    test.each([
      [6, treePlan(6, isEarly)],
      [150, treePlan(75, isEarly)],
    ])('%i nodes wait: the question, the values of five effects and the three buttons', async (count, plan) => {
      const { page } = await looked(waitingOf(plan));
      await browser.picture(`waiting-${count}`);
      const [question] = await boxesOf('.wait h2');
      const effects = await boxesOf('.effects li');
      const [decide] = await boxesOf('.decide');
      const buttons = await boxesOf('.decide > form > button, .decide > details > summary');
      expect(question!.y).toBeGreaterThan(0);
      expect(effects).toHaveLength(5);
      // Nothing of them lies under the answer, which stays in sight.
      for (const box of effects) expect(box.y + box.height).toBeLessThanOrEqual(decide!.y);
      expect(await page.locator('.decide > form > button, .decide summary').allTextContents()).toEqual([
        ...['Approve', 'Reject', 'Change'],
      ]);
      for (const box of buttons) expect(Math.floor(box.y + box.height)).toBeLessThanOrEqual(height);
      // Each word is in one line.
      for (const box of buttons) expect(box.height).toBeLessThan(45);
    });

    test.each(scripts ? [59, 999] : [])('the first paint of %i nodes', async (count) => {
      const { page } = browser;
      await page.addInitScript(`globalThis.tasks = [0];
        new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration)))
          .observe({ type: 'longtask', buffered: true })`);
      const plan = treePlan((count + 1) / 2, isEarly);
      const done = nodesOf(plan, (at) => ({
        status: 'succeeded',
        result: { ref: 'r', kind: 'set', count: at, bytes: 1 },
        scheduledAt: new Date(at * 1000).toISOString(),
        endedAt: new Date(at * 1000 + 900).toISOString(),
      }));
      await looked(seenOf(plan, done));
      // The page's policy forbids the script that `waitForFunction` adds.
      const paints = () => page.evaluate("performance.getEntriesByName('first-contentful-paint').length");
      await expect.poll(paints).toBeGreaterThan(0);
      const measured = (await page.evaluate(`({
        bytes: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .reduce((sum, one) => sum + one.encodedBodySize, 0),
        paintMs: Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime),
        taskMs: Math.max(...tasks),
      })`)) as Record<'bytes' | 'paintMs' | 'taskMs', number>;
      console.log(`${count} nodes: ${JSON.stringify(measured)}`);
      expect(measured.bytes).toBeGreaterThan(5000);
      expect(measured.bytes).toBeLessThanOrEqual(60_000);
      // Ten times what is expected of a quiet machine.
      expect(measured.paintMs).toBeLessThan(10_000);
      expect(measured.taskMs).toBeLessThan(1000);
    });

    test('150 failures are two screens', async () => {
      const plan = treePlan(75, (at) => at <= 12);
      const nodes = nodesOf(plan, (at) => ({
        status: 'failed',
        endedAt: '2026-01-01T00:01:00Z',
        failure: { type: 'Away', message: `gene-${at} answered 503` },
      }));
      await looked(seenOf(plan, nodes));
      await browser.picture('failed-150');
      expect(await pageHeight()).toBeLessThanOrEqual(2 * height);
    });

    test('a title of 10,000 characters is read beside the answer', async () => {
      const title = `${'Long '.repeat(1000)}${'x'.repeat(5000)}`;
      const { page } = await looked(titled(title));
      const seen = ['.wait h2', '.effects li:last-child b', '.decide button', '.decide summary'].map(boxesOf);
      for (const [box] of await Promise.all(seen)) expect(box!.y + box!.height).toBeLessThanOrEqual(height);
      expect(await page.locator('.effects li').first().textContent()).toContain(title);
      expect(await pageHeight()).toBeLessThan(3 * height);
    });

    test('words from right to left move no number that stands behind them', async () => {
      const { plan, nodes } = titled(ARABIC);
      const result = { ref: 'r', kind: 'set', count: 12, bytes: 1 } as const;
      const done = nodes.map((one) => ({ ...one, status: 'succeeded' as const, result }));
      await looked(seenOf(plan!, done));
      const [before, after] = await boxesOf('#outline li:first-child :is(.fx, .tail)');
      // The title stands between them.
      if (width > 1000) expect(after!.x - before!.x - before!.width).toBeGreaterThan(20);
    });

    test('of 10,000 things that wait the page of the run shows 50, and the inbox 500, each by what is asked', async () => {
      const seen = asking(...Array.from({ length: 10_000 }, (_one, at) => ({ text: `Which one is ${at}?` })));
      const { page, stage } = await looked(seen);
      expect(await page.locator('.wait').count()).toBe(50);
      expect(await page.innerText('#waits')).toContain('and 9,950 more waits');
      await page.goto(stage.origin);
      expect(await page.locator('.rows li').count()).toBe(500);
      expect(await page.innerText('.rows li >> nth=-1')).toContain('Which one is 499?');
      await page.click('.rows li >> nth=1');
      await page.waitForSelector('.wait h2:text-is("Which one is 1?")');
    });

    test.each([{ not: {} }, { type: 'array', items: { type: 'object' } }, { oneOf: [{ type: 'string' }, {}] }])(
      'an answer of the schema %j is asked for as JSON',
      async (schema) => {
        const { page } = await looked(asking({ text: 'Which?', schema }));
        expect(await page.innerText('.wait')).toContain(`JSON that fits ${JSON.stringify(schema)}`);
        expect(await page.innerText('.wait label:has(textarea)')).toBe('Answer JSON');
      },
    );

    test('an answer that does not fit is asked for again at its field, with everything typed still there', async () => {
      const properties = { note: { type: 'string', maxLength: 500 }, tags: { items: {} }, how: { enum: ['a', 'b'] } };
      const schema = { type: 'object', properties, required: ['tags'] };
      const { page } = await looked(asking({ text: 'Which?', schema: schema }));
      // Required fields are first, in the order in which their author requires them.
      await page.fill('.wait textarea >> nth=0', 'no [json');
      await page.fill('.wait textarea >> nth=1', 'typed "here"');
      await page.check('.wait label:has-text("b") input[type=radio]');
      await browser.follow('.wait button[value=answer]');
      if ((await page.title()).startsWith('Who')) {
        await page.fill('input[name=by]', 'operator');
        await browser.follow('button.main');
      }
      await page.waitForSelector('h1:has-text("Not answered yet")');
      expect(await page.innerText('label:has-text("tags") .misfit')).toContain('tags: expected JSON, got "no [json"');
      const texts = await page.locator('.wait textarea').all();
      expect(await Promise.all(texts.map((one) => one.inputValue()))).toEqual(['no [json', 'typed "here"']);
      expect(await page.isChecked('.wait label:has-text("b") input[type=radio]')).toBe(true);
    });

    test('one value is changed in its field, and the edit is shown before it is sent', async () => {
      const leaf = (amount: unknown) => ({ task: 'Order', capability: 'order', arguments: { amount, to: 'the lab' } });
      const { page } = await looked(waitingOf(compiled({ goal: 'Order', plan: leaf(12) })));
      await page.click('.decide summary:text-is("Change")');
      await browser.picture('change');
      await page.fill('.decide label:has-text("amount") input', '');
      await page.click('button[value=values]');
      // A script or the browser itself stops a blank number.
      await page.fill('label:has-text("amount") input', '24');
      await page.click('button[value=values]');
      await page.waitForSelector('.changes');
      expect(await page.innerText('.changes')).toMatch(/amount\s+12[^]*amount\s+24/);
      expect(await page.innerText('.changes')).not.toContain('the lab');
      expect(JSON.parse(await page.inputValue('textarea'))).toMatchObject({ plan: leaf(24) });
      await page.waitForSelector('button[value=edit]');
    });

    test('on a slow line it is answered before its script has come', async () => {
      const { page } = await looked(titled('Order'));
      await page.route('**/page.js', () => {});
      onTestFinished(() => page.unrouteAll());
      await page.goto(page.url(), { waitUntil: 'commit' });
      await page.click('.decide button', { noWaitAfter: true });
      await page.waitForSelector('h1:has-text("Who says it?")');
    });

    test.each(scripts ? ['sent'] : [])('a form that is on its way is not %s again by its script', async () => {
      const { page } = await looked(titled('Order'));
      const sent = await page.evaluate(`
        const sent = [];
        addEventListener('submit', (one) => sent.push(one.defaultPrevented) && one.preventDefault());
        for (let times = 0; times < 2; times += 1) document.querySelector('.decide form').requestSubmit();
        sent;`);
      expect(sent).toEqual([false, true]);
    });

    test('a run that is gone is told of', async () => {
      const { page, stage } = await looked(titled('Order'));
      stage.lose();
      expect((await page.goto(page.url()))?.status()).toBe(404);
      expect(await page.innerText('main')).toMatch(/there is no run plan-of-a-name[^]*NO_RUN/);
    });
  });
});
