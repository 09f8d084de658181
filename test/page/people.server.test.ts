/**
 * People on the page alone: a plan from a goal, read, edited, approved in part, a question answered, a worker that dies and
 * another that goes on, the result read. In Chromium, at the width of a desk and of a telephone.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import axeCore from 'axe-core';
import { describe, expect, inject, test } from 'vitest';
import { NO_CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { configOf, serving } from './serving.ts';

const CONFIG = configOf('page');
const here = serving(CONFIG, NO_CHROMIUM);

/** Nothing that keeps somebody from using it. */
async function axe({ page }: Browser): Promise<unknown> {
  await page.evaluate(axeCore.source);
  const found = (await page.evaluate('axe.run()')) as axeCore.AxeResults;
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

describe.skipIf(NO_CHROMIUM !== '')(`on the page alone ${NO_CHROMIUM}`, () => {
  test.each(inject('long') ? [1280, 390] : [390])('from a goal to the result, at %i px', async (width) => {
    const browser = await openBrowser(here.origin, width);
    const { page, picture } = browser;
    try {
      await page.goto(`${here.origin}/new`);
      await picture('1-new');
      await page.fill('textarea[name=goal]', `Order primers for the northern region, ${width}`);
      await browser.follow('button[value=goal]');

      // The plan appears by itself.
      await page.waitForSelector('.wait.approval');
      await picture('2-plan');
      expect(await page.title()).toMatch(/^\(1\) /);
      expect(await page.innerText('.wait .effects')).toMatch(
        /once only\s+node_\d primers\s+order: Order primers[^]*amount\s+12[^]*"primers"/,
      );
      const run = new URL(page.url()).pathname;

      await page.click('.wait summary:has-text("Change")');
      await browser.follow('text=Edit the plan');
      const text = await page.inputValue('textarea.document');
      await page.fill(
        'textarea.document',
        text.replace('"amount": 12', '"amount": 24').replace('"go"', `"go-${width}"`),
      );
      await browser.follow('button[value=check]');
      await picture('3-edit');
      expect(await page.innerText('.changes')).toMatch(/changed[^]*amount\s+12[^]*amount\s+24/);
      await browser.follow('button[value=edit]');
      // A name is asked for once, and nothing that was said is lost.
      await page.fill('input[name=by]', 'operator');
      await browser.follow('button.main');
      await page.waitForSelector('.said');
      expect(await page.innerText('.wait .effects')).toMatch(/amount\s+24/);
      expect(await page.innerText('details[open]:has-text("What your change does")')).toMatch(/amount\s+24/);

      await page.click('summary:has-text("Approve a part")');
      await page.check('label:has-text("near") input[name=nodes]');
      await page.check('label:has-text("known") input[name=nodes]');
      await page.check('label:has-text("which") input[name=nodes]');
      await picture('4-part');
      await browser.follow('button[value=approve-part]');
      expect(await page.textContent('.said')).toContain('still to be approved');

      await page.waitForSelector('.wait.question');
      await picture('5-question');
      await page.fill('.wait.question input[type=number]', '24');
      await browser.follow('.wait.question button[value=answer]');

      // Its worker dies; the run says so, and goes on with another.
      await page.waitForSelector('#now li');
      here.worker!.child.kill('SIGKILL');
      await once(here.worker!.child, 'exit');
      here.worker = await here.project.startWorker(CONFIG);
      await page.waitForSelector('#now:has-text("attempt 2, heartbeat")');
      await picture('6-second-worker');
      here.project.open(`go-${width}`);
      await browser.follow('.wait.approval button[value=approve]');
      await page.waitForSelector('#end .result a');
      await picture('7-done');
      expect(await page.innerText('#outline')).toMatch(/known[^]*in attempt 2/);

      await page.click('#outline a:has-text("known")');
      // Where there is room, the node opens beside the picture.
      await page.waitForSelector('.facts:has-text("attempt 2 (worker lost)")');
      await picture('8-why');
      await browser.find(`${run}/result?node=near`, 'table');
      await picture('9-result');
      expect(await page.innerText('table')).toMatch(/north-gene-1\s*chr1\s*1,000\s*1,500/);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('.downloads a:has-text("BED")')]);
      expect(readFileSync(await download.path(), 'utf8')).toMatch(/^chr1\t999\t1500\tnorth-gene-1\t/);
      await browser.find('/runs?goal=NORTH&state=done', '.rows a:has-text("done")');
      await browser.find('/runs?person=nobody', 'a:has-text("Show all")');
      await picture('10-runs');
      expect(await axe(browser)).toEqual([]);
      expect(browser.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
