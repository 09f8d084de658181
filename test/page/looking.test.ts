/** What the script of the page adds, in Chromium: a node beside the picture, zoom, keys, a plan that has changed, a sorted table. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { compiled, waitingOf } from './scenes.ts';
import { stageOf, type Stage } from './stage.ts';

const planOf = (amount: number) =>
  compiled({
    goal: 'Order primers',
    plan: {
      operator: 'UNION',
      left: { task: 'Find genes', capability: 'genes', arguments: { region: 'north' } },
      right: { task: 'Order primers', capability: 'order', arguments: { amount } },
    },
  });
const WAITING = waitingOf(planOf(12));
const PATH = `/runs/${WAITING.workflowId}`;

let stage: Stage;
let browser: Browser;

beforeAll(async () => {
  if (NO_CHROMIUM !== '') return;
  stage = await stageOf(WAITING);
  browser = await openBrowser(stage.origin, 1280, true, 800);
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

describe.skipIf(NO_CHROMIUM !== '')(`on the page of a run ${NO_CHROMIUM}`, () => {
  /** What has the focus: a button by its word, a field by its name, a card by its class. */
  const focused = () =>
    browser.page
      .locator(':focus')
      .evaluate((one: { textContent: string; getAttribute(name: string): string | null }) =>
        (one.getAttribute('name') ?? one.textContent).concat(' ', one.getAttribute('class') ?? '').trim(),
      );

  test('a node that is chosen opens beside the picture, and closes', async () => {
    const { page } = browser;
    await browser.find(PATH, '#plan a.node');
    await page.click('#plan a.node:has-text("Order")');
    await page.waitForSelector('#beside h1');
    expect(new URL(page.url()).pathname).toBe(PATH);
    expect(await page.innerText('#beside')).toMatch(/Given\s+amount\s+12\s+Gave\s+pending/);
    await page.click('#beside .close');
    expect(await page.locator('#beside > *').count()).toBe(0);
  });

  test('the picture grows, shrinks and is dragged', async () => {
    const { page } = browser;
    await browser.find(PATH, '#plan svg');
    const widthOf = async () => (await page.locator('.drawing > svg').boundingBox())!.width;
    const before = await widthOf();
    const asked: string[] = [];
    page.on('request', (request) => /\/nodes\//.test(request.url()) && asked.push(request.url()));
    await page.click('[data-zoom="1.25"]');
    expect(await widthOf()).toBeCloseTo(before * 1.25, 0);
    await page.click('[data-zoom="0.8"]');
    expect(await widthOf()).toBeCloseTo(before, 0);
    for (let times = 0; times < 8; times += 1) await page.click('[data-zoom="1.25"]');
    const node = page.locator('#plan a.node').first();
    await node.hover({ position: { x: 300, y: 20 } });
    const { x, y } = (await node.boundingBox())!;
    await page.mouse.down();
    await page.mouse.move(x + 100, y + 20, { steps: 4 });
    await page.mouse.up();
    const left = await page.locator('.drawing').evaluate((one: { scrollLeft: number }) => one.scrollLeft);
    expect(Math.abs(left - 200)).toBeLessThan(10);
    // The node was dragged, and is not chosen: the one that is opens alone.
    await page.locator('#plan a.node').last().click();
    await page.waitForSelector('#beside h1:has-text("node_3")');
    expect(asked).toEqual([expect.stringMatching(/node_3$/) as string]);
  });

  test('keys go to what waits, to its yes and to the reason of its no, and send nothing', async () => {
    const { page } = browser;
    const [item] = WAITING.open;
    const second = { ...item!, kind: 'question', id: 'q1', text: 'Which one?' } as const;
    stage.show({ ...WAITING, open: [item!, second] });
    await browser.find(PATH, '.wait.question');
    await page.keyboard.press('j');
    expect(await focused()).toMatch(/wait approval$/);
    await page.keyboard.press('j');
    expect(await focused()).toMatch(/wait question$/);
    await page.keyboard.press('k');
    expect(await focused()).toMatch(/wait approval$/);
    await page.keyboard.press('a');
    expect(await focused()).toBe('does main');
    await page.keyboard.press('r');
    expect(await focused()).toBe('comment');
    expect(new URL(page.url()).pathname).toBe(PATH);
    stage.show(WAITING);
  });

  test('a plan that takes the place of the one that is looked at is told of, with what has changed', async () => {
    const { page } = browser;
    await browser.find(PATH, '.wait.approval');
    stage.show(waitingOf(planOf(24)));
    await page.waitForSelector('#waits .warning:has-text("another one now")');
    await page.click('text=See what has changed');
    await page.click('summary:has-text("The plan has changed since you looked")');
    expect(await page.innerText('.changes')).toMatch(/amount\s+12[^]*amount\s+24/);
    expect(browser.complaints).toEqual([]);
    stage.show(WAITING);
  });
});
