/** The order of the ways to a Temporal CLI, where it ends, and what a person is told whose way is closed. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readOptions } from '../../../src/cli/dev-server/options.ts';
import { builtCliPath, downloadedCliPath, findCli } from '../../../src/cli/dev-server/find-cli.ts';
import { testFolder } from '../../support/folders.ts';

let folder: string;
let cache: string;
const stop = new AbortController();

beforeEach(() => {
  folder = testFolder('cli');
  cache = join(folder, 'cache');
});

/** @param here the programs that are there @param fetched what can be fetched, `download` or `build` */
function find(here: readonly string[], fetched: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  for (const path of here) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    chmodSync(path, 0o755);
  }
  const asked = readOptions({
    env: { PATH: `${folder}/none:${folder}/bin`, PLANWRIGHT_CACHE: cache, ...env },
    signal: stop.signal,
  });
  const fetch = (what: string) => async () => {
    if (fetched.includes('interrupted')) stop.abort(new Error('Ctrl-C'));
    if (!fetched.includes(what)) throw new Error(`no ${what}`);
    return what;
  };
  const failed = ['a server: none'];
  return findCli(asked, failed, { downloadCli: fetch('download'), buildCli: fetch('build') });
}

/** Each row takes away what the row before found: that is the order. */
test.each([
  ['TEMPORAL_CLI_PATH', 'named', ['named', 'bin/temporal'], ['download', 'build']],
  ['`temporal` on PATH', 'bin/temporal', ['bin/temporal', 'DOWNLOADED', 'BUILT'], ['download', 'build']],
  ['the cache folder', 'DOWNLOADED', ['DOWNLOADED', 'BUILT'], ['download', 'build']],
  ['the cache folder', 'BUILT', ['BUILT'], ['download', 'build']],
  ['the download of the Temporal SDK', 'download', [], ['download', 'build']],
  ['building with Go', 'build', [], ['build']],
])('%s: %s', async (how, path, here, fetched) => {
  const places: Record<string, string> = { DOWNLOADED: downloadedCliPath(cache), BUILT: builtCliPath(cache) };
  const at = (name: string) => places[name] ?? join(folder, name);
  const env = path === 'named' ? { TEMPORAL_CLI_PATH: at(path) } : {};
  const wanted = fetched.includes(path) ? path : at(path);
  expect(await find(here.map(at), fetched, env)).toEqual({ path: wanted, how });
});

test('a TEMPORAL_CLI_PATH that is no program is never replaced by something else', async () => {
  await expect(find([join(folder, 'bin/temporal')], [], { TEMPORAL_CLI_PATH: '/no/cli' })).rejects.toMatchObject({
    code: 'DEV_SERVER',
    message: 'TEMPORAL_CLI_PATH names /no/cli, which is not a program that can be run. Correct or unset it.',
  });
});

test('when nothing worked, every way is listed with its reason, in order, and what would be enough', async () => {
  const tried = [
    'a server: none',
    'TEMPORAL_CLI_PATH: not set',
    '`temporal` on PATH: not there',
    `the cache folder: nothing in ${cache} yet`,
    'the download of the Temporal SDK: no download',
    'building with Go: no build',
  ].map((line) => `\n  - ${line}`);
  const error = (await find([]).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ name: 'OperationError', code: 'NO_SERVER' });
  const enough = ['set TEMPORAL_ADDRESS', 'https://docs.temporal.io/cli', 'set TEMPORAL_CLI_PATH'];
  for (const part of [tried.join(''), ...enough, 'https://temporal.download', 'https://go.dev/dl'])
    expect(error.message).toContain(part);
});

test('a person who interrupts a way does not get the next one', async () => {
  await expect(find([], ['build', 'interrupted'])).rejects.toThrow('Ctrl-C');
});
