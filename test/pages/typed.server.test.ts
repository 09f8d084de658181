/**
 * Every page is typed as it stands, with the package as npm would install it: its files, its commands, what they print. In short
 * the README alone.
 */

import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { install, type Installed } from '../package/installed.ts';
import { blocksOf, linesOf, PAGES, whyNotTyped, type Block } from '../support/pages.ts';
import { ROOT } from '../support/source-files.ts';
import { begin, typeUntilDone, type Desk } from '../support/typist.ts';

/** What a page takes for granted: files of another page or of the checkout, and what was typed before it. */
interface Before {
  readonly files?: string;
  readonly checkout?: string;
  readonly worker?: string;
  readonly typed?: string;
}
const BEFORE: Readonly<Record<string, Before>> = {
  'docs/control-room.md': { checkout: 'examples/control-room/start.json' },
  'docs/temporal.md': {
    files: 'docs/tutorial.md',
    worker: 'npx planwright worker',
    typed: 'npx planwright run rooms.yaml --workflow-id rooms-1 --detach',
  },
  'docs/approval.md': {
    files: 'README.md',
    worker: 'npx planwright worker',
    typed: 'npx planwright run plan.json --workflow-id plan-1 --detach',
  },
  'docs/drafts.md': { files: 'README.md', worker: 'npx planwright worker' },
  'docs/runs.md': { files: 'README.md', worker: 'npx planwright worker' },
  'docs/messages.md': { files: 'README.md', worker: 'npx planwright worker' },
  'docs/long-runs.md': {
    files: 'README.md',
    worker: 'npx planwright worker',
    typed: 'npx planwright run plan.json --workflow-id plan-1 --yes',
  },
  'docs/identity.md': {
    files: 'README.md',
    worker: 'npx planwright worker',
    typed: 'npx planwright run plan.json --workflow-id plan-1 --detach',
  },
};

const isTyped = ({ page, language, text }: Block) =>
  language === 'sh' && text.split('\n').some((line) => line !== '' && whyNotTyped(page, line) === undefined);
const TYPED = PAGES.filter((page) => blocksOf(page).some(isTyped) && (inject('long') || page === 'README.md'));

let installed: Installed;
let bin: string;
beforeAll(async () => {
  installed = await install();
  bin = join(installed.base, 'bin');
  await mkdir(bin);
  await symlink(inject('cliPath'), join(bin, 'temporal'));
});
afterAll(() => rm(installed.base, { recursive: true, force: true }));

test.each(TYPED)('%s', { timeout: 240_000 }, async (page) => {
  const desk = await openDesk(page);
  const { files, checkout, worker, typed } = BEFORE[page] ?? {};
  if (checkout !== undefined) await cp(join(ROOT, checkout), join(desk.folder, checkout));
  if (files !== undefined) for (const block of blocksOf(files)) await write(block, desk);
  if (worker !== undefined) await begin(worker, desk);
  if (typed !== undefined) await typeUntilDone(typed, desk);
  const blocks = blocksOf(page);
  let printed: string | undefined;
  for (const block of blocks) {
    if (block.language === 'text' && printed !== undefined)
      expect([block.line, printed]).toEqual([block.line, block.text]);
    printed = block.language === 'sh' ? await typeBlock(block, blocks, desk) : undefined;
    await write(block, desk);
  }
});

/** What its last command printed; of a block of which nothing is typed: nothing. */
async function typeBlock(block: Block, blocks: readonly Block[], desk: Desk): Promise<string | undefined> {
  if (block.title === 'first terminal') {
    await begin(block.text.trim(), desk);
    return undefined;
  }
  if (block.title === 'script') return typeScript(block, blocks, desk);
  let printed: string | undefined;
  for (const line of linesOf(block)) {
    if (whyNotTyped(block.page, line) === undefined) printed = await typeUntilDone(line, desk);
  }
  return printed;
}

/** The scripts of a page are one: it is typed where the last of them stands. */
async function typeScript(block: Block, blocks: readonly Block[], desk: Desk): Promise<string | undefined> {
  const scripts = blocks.filter(({ title }) => title === 'script');
  if (block !== scripts.at(-1)) return undefined;
  return typeUntilDone(['set -eu', ...scripts.map(({ text }) => text)].join('\n'), desk);
}

async function write({ language, title, text }: Block, { folder }: Desk): Promise<void> {
  if (language !== 'sh' && title !== '') await writeFile(join(folder, title), text);
}

/** A folder in which the package was installed, and a namespace: what runs for one page is not in the way of another. */
async function openDesk(page: string): Promise<Desk> {
  const name = page.replaceAll(/\W+/g, '-');
  const folder = join(installed.app, name);
  await mkdir(folder);
  // A test in a test is told of the one around it.
  const { NODE_TEST_CONTEXT: _, ...around } = process.env;
  const namespace = `${name}-${process.pid}`;
  const env = {
    ...around,
    PATH: `${bin}:${around['PATH']}`,
    XDG_CONFIG_HOME: join(installed.base, 'config', name),
    TEMPORAL_ADDRESS: inject('address'),
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_CLI_PATH: inject('cliPath'),
  };
  const desk = { folder, env };
  await typeUntilDone(`temporal operator namespace create -n ${namespace}`, desk);
  return desk;
}
