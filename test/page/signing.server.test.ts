/** A key that is made in a browser and cannot be taken out of it: what it signs, runs take; without it they take nothing. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_CHROMIUM, openBrowser, type Browser } from './browser.ts';
import { configOf, serving } from './serving.ts';
import { visitorOf } from './visitor.ts';

const here = serving(undefined, NO_CHROMIUM);
const PLAN = {
  goal: 'Order primers',
  steps: [
    ['how', 'ask', { question: 'How many?', schema: { type: 'integer' } }, []] as const,
    ['order', 'order', { item: 'primers', amount: 3 }, ['how']] as const,
  ].map(([key, capability, parameters, inputs]) => {
    return { context_key: key, capability, task_objective: capability, parameters, inputs };
  }),
};

/** Tries to take the key out, in the browser. */
const EXPORTS = `(async () => {
  const settled = (request) => new Promise((resolve) => request.addEventListener('success', () => resolve(request.result)));
  const database = await settled(indexedDB.open('planwright'));
  const { privateKey } = await settled(database.transaction('keys').objectStore('keys').get('own'));
  return Promise.all(['pkcs8', 'jwk'].map((form) => crypto.subtle.exportKey(form, privateKey).then(() => 'taken', ({ name }) => name)));
})()`;

let browser: Browser;
beforeAll(async () => {
  if (NO_CHROMIUM === '') browser = await openBrowser(here.origin, 1280);
});
afterAll(() => browser?.close());

describe.skipIf(NO_CHROMIUM !== '')(`in a browser ${NO_CHROMIUM}`, () => {
  test('the lines that the page shows are a configuration, and what its key signs is verified', async () => {
    const { page, picture } = browser;
    await page.goto(`${here.origin}/key`);
    await page.fill('input[name=subject]', 'operator');
    await page.fill('input[name=roles]', 'lead');
    await browser.follow('button.main');
    const lines = await page.textContent('main pre code:has-text("identity")');
    await picture('key');
    const config = join(here.project.folder, 'signed.config.ts');
    writeFileSync(
      config,
      `import base from ${JSON.stringify(configOf('page'))};\nexport default {\n...base,\n${lines}\n};\n`,
    );
    await here.project.startWorker(config);
    const run = await here.project.detach(PLAN);
    await here.project.until(run, ({ waitingFor }) => waitingFor > 0);

    await page.goto(`${here.origin}/runs/${run}`);
    await browser.follow('.wait.approval button[value=approve]');
    // The name of the form is not the one that counts.
    await page.fill('input[name=by]', 'somebody');
    await browser.follow('button.main');
    await picture('sign');
    expect(await page.textContent('main')).toMatch(
      /Nothing was sent yet[^]*"kind": "approve"[^]*"digest": "[0-9a-f]{64}"[^]*"shown": "[0-9a-f]{64}"[^]*approve \S+ --digest [0-9a-f]{8} --shown [0-9a-f]{8} --key FILE/,
    );
    await browser.follow('text=Sign as operator, and send');
    expect(await page.textContent('.said')).toContain('approved');

    await page.waitForSelector('.wait.question');
    await page.fill('.wait.question input[type=number]', '3');
    await browser.follow('.wait.question button[value=answer]');
    await browser.follow('text=Sign as operator, and send');
    await page.waitForSelector('.said');
    await here.project.until(run, ({ outcome }) => outcome === 'done');
    await browser.find(`/runs/${run}/trace`, 'table');
    expect(await page.textContent('table')).toMatch(/approve [0-9a-f]{8} by operator[^]*\(verified\)/);
    expect(browser.complaints).toEqual([]);

    expect(await page.evaluate(EXPORTS)).toEqual(['InvalidAccessError', 'InvalidAccessError']);
  });

  test('a token for one run is taken by no other, and a form without one sends nothing', async () => {
    const { page } = browser;
    const [one, other] = [await here.project.detach(PLAN), await here.project.detach(PLAN)];
    for (const id of [one, other]) await here.project.until(id, ({ waitingFor }) => waitingFor > 0);
    await page.goto(`${here.origin}/runs/${one}`);
    await page.click('summary:has-text("Reject")');
    await page.fill('details[open] input[name=comment]', 'no');
    await browser.follow('button[value=reject]');
    // Somebody between the page and the run turns it to another run.
    await page.route('**/say/signed', (route) => {
      const form = new URLSearchParams(route.request().postData() ?? '');
      const [head, body = '', signature] = (form.get('token') ?? '').split('.');
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
      const turned = Buffer.from(JSON.stringify({ ...claims, aud: other })).toString('base64url');
      form.set('token', [head, turned, signature].join('.'));
      return route.continue({ postData: form.toString() });
    });
    await browser.follow('text=Sign as operator, and send');
    expect(await page.textContent('main')).toMatch(/the signature does not fit the key/);
    for (const id of [one, other])
      expect(await here.project.json('status', id)).toMatchObject({ phase: 'awaiting-approval' });

    const visitor = visitorOf(here.origin);
    for (const token of [[], 'x', 'a.b.c', `a.${Buffer.from('{"aud":1}').toString('base64url')}.c`]) {
      const { status } = await visitor.say('/me', '/say/signed', { token });
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  test('without a key of its own a browser is shown the command', async () => {
    const stranger = await openBrowser(here.origin, 390);
    try {
      const run = await here.project.detach(PLAN);
      await here.project.until(run, ({ waitingFor }) => waitingFor > 0);
      await stranger.page.goto(`${here.origin}/runs/${run}`);
      await stranger.page.click('.menu summary');
      await stranger.follow('button[value=pause]');
      await stranger.page.fill('input[name=by]', 'mallory');
      await stranger.follow('button.main');
      const text = await stranger.page.textContent('main');
      expect(text).toMatch(/Sign it[^]*pause \S+ --key FILE[^]*it needs JavaScript, and a key/);
      expect(await stranger.page.locator('text=Sign as').count()).toBe(0);
      expect(await here.project.json('status', run)).not.toHaveProperty('paused');
    } finally {
      await stranger.close();
    }
  });
});
