/** What a person sees of a run before anything is scrolled, in Chromium, on a desk and on a telephone. */

import { afterAll, describe, expect, test } from 'vitest';
import { NO_CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { nodesOf, seenOf, treePlan, waitingOf } from './scenes.ts';
import { stageOf, type Stage } from './stage.ts';
import type { Seen } from '../../src/page/watch.ts';

const SCREENS = [
  [390, 844],
  [1280, 800],
] as const;

let stage: Stage | undefined;
let browser: Browser | undefined;

async function shown(seen: Seen, [width, height]: readonly [number, number]): Promise<Browser> {
  await browser?.close();
  await stage?.close();
  stage = await stageOf(seen);
  browser = await openBrowser(stage.origin, width, true, height);
  await browser.find(`/runs/${seen.workflowId}`, '#outline li');
  return browser;
}

async function boxesOf({ page }: Browser, selector: string) {
  const boxes = await Promise.all((await page.locator(selector).all()).map((one) => one.boundingBox()));
  return boxes.map((box) => box!);
}

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

describe.skipIf(NO_CHROMIUM !== '')(`at a glance ${NO_CHROMIUM}`, () => {
  const FIVE = (at: number) => at <= 5;

  describe.each(SCREENS)('on %i x %i', (...screen) => {
    test.each([
      [6, treePlan(6, FIVE)],
      [150, treePlan(75, FIVE)],
    ])('%i nodes wait: the question, the values of five effects and the three buttons', async (count, plan) => {
      const { page, picture } = await shown(waitingOf(plan), screen);
      await picture(`waiting-${count}`);
      const [question] = await boxesOf(browser!, '.wait h2');
      const effects = await boxesOf(browser!, '.effects li');
      const [decide] = await boxesOf(browser!, '.decide');
      const buttons = await boxesOf(browser!, '.decide > form > button, .decide > details > summary');
      expect(question!.y).toBeGreaterThan(0);
      expect(effects).toHaveLength(5);
      // Nothing of them lies under the answer, which stays in sight.
      for (const { y, height } of effects) expect(y + height).toBeLessThanOrEqual(decide!.y);
      expect(await page.locator('.decide > form > button, .decide summary').allTextContents()).toEqual([
        ...['Approve', 'Reject', 'Change'],
      ]);
      for (const { y, height } of buttons) expect(Math.floor(y + height)).toBeLessThanOrEqual(screen[1]);
    });

    test('150 failures are two screens', async () => {
      const plan = treePlan(75, (at) => at <= 12);
      const nodes = nodesOf(plan, (at) => ({
        status: 'failed',
        endedAt: '2026-01-01T00:01:00Z',
        failure: { type: 'Away', message: `gene-${at} answered 503` },
      }));
      const { picture } = await shown(seenOf(plan, nodes), screen);
      await picture('failed-150');
      const [whole] = await boxesOf(browser!, 'body');
      expect(whole!.height).toBeLessThanOrEqual(2 * screen[1]);
    });
  });
});
