/** Chromium, which a machine may not have, with nothing of anybody in it; and the pictures that tests make of pages. */

import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
/** Why no browser can be had here; empty where it can. */
export const NO_CHROMIUM =
  PROGRAM === undefined ? 'there is no /usr/bin/chromium; apt-get install chromium to run it' : '';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A quiet machine needs a second. */
const PATIENCE_MS = 60_000;

export interface Browser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to another server than the page's own, and everything that a page complained of. */
  readonly complaints: string[];
  /** Opens a page, again and again until it has this: a worker that is busy may not answer at once. */
  find(path: string, selector: string): Promise<void>;
  /** Clicks what leads to another page, and waits for that: what is read after a bare click may be the page before it. */
  follow(selector: string): Promise<void>;
  /** Taken if PLANWRIGHT_PICTURES names a folder for it. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function openBrowser(origin: string, width: number, scripts = true, height = 900): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-browser-'));
  const pictures = process.env['PLANWRIGHT_PICTURES'];
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: PROGRAM!,
    args: ARGS,
    viewport: { width, height },
    javaScriptEnabled: scripts,
  });
  const complaints: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A worker that is busy may not answer: the page says so, and the browser counts it as an error.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`);
  });
  return {
    page,
    context,
    complaints,
    async find(path, selector) {
      do await page.goto(origin + path);
      while ((await page.locator(selector).count()) === 0);
    },
    async follow(selector) {
      await Promise.all([page.waitForEvent('domcontentloaded'), page.click(selector)]);
    },
    async picture(name) {
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true });
    },
    async close() {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
