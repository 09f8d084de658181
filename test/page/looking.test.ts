/** What the script of the page adds, in Chromium: a node beside the picture, zoom, keys, a plan that has changed, a sorted table. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
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

  test('the picture grows and shrinks', async () => {
    const { page } = browser;
    await browser.find(PATH, '#plan svg');
    const widthOf = async () => (await page.locator('.drawing > svg').boundingBox())!.width;
    const before = await widthOf();
    await page.click('[data-zoom="1.25"]');
    expect(await widthOf()).toBeCloseTo(before * 1.25, 0);
    await page.click('[data-zoom="0.8"]');
    expect(await widthOf()).toBeCloseTo(before, 0);
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
    expect(await page.innerText('details:has-text("The plan has changed since you looked") .changes')).toMatch(
      /amount\s+12[^]*amount\s+24/,
    );
    expect(browser.complaints).toEqual([]);
    stage.show(WAITING);
  });

  test('what is typed, opened, scrolled and in focus stays when something else changes', async () => {
    const { page } = browser;
    await browser.find(PATH, '.wait.approval');
    await page.click('.wait summary:has-text("By command")');
    for (let times = 0; times < 5; times += 1) await page.click('[data-zoom="1.25"]');
    await page.click('.menu summary');
    await page.fill('.menu input[name=comment]', 'too dear');
    await page.evaluate("document.querySelector('.drawing').scrollLeft = 40");
    await page.focus('.menu input[name=comment]');
    stage.show({ ...WAITING, feedback: ['one more line'] });
    await page.waitForSelector('#now pre:has-text("one more line")');
    const opened = await page.locator('details[open] > summary').allInnerTexts();
    expect(opened.map((text) => text.trim())).toEqual(expect.arrayContaining(['Pause or kill the run', 'By command']));
    expect(await page.inputValue('.menu input[name=comment]')).toBe('too dear');
    expect(await focused()).toBe('comment');
    expect(await page.evaluate("document.querySelector('.drawing').scrollLeft")).toBe(40);
    stage.show(WAITING);
  });

  test('a card in which a person types stays as it was read, and is shown as it is now on a click', async () => {
    const { page } = browser;
    await browser.find(PATH, '.wait.approval');
    await page.fill('.decide > form input[name=comment]', 'as agreed');
    stage.show(waitingOf(planOf(24)));
    await page.waitForSelector('.outdated');
    const digest = () => page.inputValue('.decide input[name=digest]');
    expect([await digest(), await page.innerText('.effects')]).toEqual([
      WAITING.plan!.digest,
      expect.stringMatching(/amount\s+12/) as string,
    ]);
    expect(await page.inputValue('.decide > form input[name=comment]')).toBe('as agreed');
    await page.click('text=Show it as it is now');
    await page.waitForSelector('.effects:has-text("24")');
    expect([await digest(), await page.locator('.outdated').count()]).toEqual([planOf(24).digest, 0]);
    // Answered elsewhere, it stays too.
    await page.fill('.decide > form input[name=comment]', 'as agreed');
    stage.show({ ...WAITING, open: [] });
    await page.waitForSelector('.outdated');
    expect(await page.locator('.wait').count()).toBe(1);
    expect(browser.complaints).toEqual([]);
    stage.show(WAITING);
  });

  test('Enter approves nothing that has come while the button had the focus', async () => {
    const { page } = browser;
    await browser.find(PATH, '.wait.approval');
    await page.keyboard.press('a');
    expect(await focused()).toBe('does main');
    stage.show(waitingOf(planOf(24)));
    await page.waitForSelector('.effects:has-text("24")');
    expect(await page.locator(':focus').count()).toBe(0);
    stage.show(WAITING);
  });

  test('a press that was meant for one plan approves no other that an update puts under it', async () => {
    const page = await browser.context.newPage();
    onTestFinished(() => page.close());
    const sent: (string | null)[] = [];
    page.on('request', (one) => void (one.method() === 'POST' && sent.push(one.postData())));
    await page.clock.install();
    await page.goto(stage.origin + PATH);
    await page.waitForSelector('.wait.approval');
    await page.clock.pauseAt(Date.now() + 60_000);
    const approve = page.locator('.decide button[value=approve]');
    // The first change moves the card; the second does not.
    for (const amount of [24, 36]) {
      await page.clock.runFor(2000);
      const { x, y, width, height } = (await approve.boundingBox())!;
      stage.show(waitingOf(planOf(amount)));
      await page.waitForSelector(`.effects:has-text("${amount}")`);
      expect(await approve.getAttribute('aria-disabled')).toBe('true');
      await page.mouse.click(x + width / 2, y + height / 2);
      await approve.press('Enter');
      expect(await approve.evaluate((one: { validationMessage: string }) => one.validationMessage)).toContain(
        'Nothing was sent',
      );
      expect(sent).toEqual([]);
    }
    await page.clock.runFor(2000);
    await approve.click();
    await page.waitForSelector('h1:has-text("Who says it?")');
    expect(sent).toEqual([expect.stringContaining(planOf(36).digest)]);
    stage.show(WAITING);
  });

  test('in the inbox, what is looked at and settled elsewhere makes room for no other', async () => {
    const { page } = browser;
    const [item] = WAITING.open;
    const other = { ...item!, workflowId: 'plan-other' };
    stage.show({ ...WAITING, open: [item!, other] });
    await browser.find('/', '.rows li:nth-child(2)');
    stage.show({ ...WAITING, open: [other] });
    await page.waitForSelector('#waits:has-text("This was settled meanwhile.")');
    expect([await page.locator('.wait').count(), await page.locator('.rows li').count()]).toEqual([0, 1]);
    expect(await page.getAttribute('.side > p a', 'href')).toBe(PATH);
    await page.click('.rows a');
    await page.waitForSelector('.wait[data-item="plan-other approval"]');
    stage.show(WAITING);
  });

  test('for a clock that is an hour behind nothing has run for less than no time', async () => {
    const page = await browser.context.newPage();
    onTestFinished(() => page.close());
    await page.clock.install({ time: Date.parse(WAITING.status!.startedAt) - 3_600_000 });
    await page.goto(stage.origin + PATH);
    expect(await page.innerText('#head [data-since]')).toBe('0 s');
  });

  test('a run that is deleted while it is shown is told of', async () => {
    const { page } = browser;
    const lost = await stageOf(WAITING);
    onTestFinished(async () => {
      await page.goto('about:blank');
      await lost.close();
    });
    await page.goto(lost.origin + PATH);
    lost.lose();
    await page.waitForSelector('#main > .warning:has-text("there is no run")');
    expect(await page.locator('.wait.approval').count()).toBe(1);
  });
});
