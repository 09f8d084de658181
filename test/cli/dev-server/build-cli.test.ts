/** The build of the Temporal CLI, with programs in the place of Go. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildCli, builtCliPath } from '../../../src/cli/dev-server/build-cli.ts';

let folder: string;
let cache: string;
let told: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planwright-build-'));
  cache = join(folder, 'cache');
  told = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Builds with a `go` that does what the script says. */
function build(script: string, { signal, onTick }: { signal?: AbortSignal; onTick?: (line: string) => void } = {}) {
  writeFileSync(join(folder, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return buildCli({
    cache,
    env: { PATH: `${folder}:${process.env['PATH']}`, FOLDER: folder },
    ...(signal && { signal }),
    onProgress: (line) => void told.push(line),
    ...(onTick && { onTick }),
  });
}

/** What `go install -v` writes to stderr, and a program in the end. */
const WHOLE = `
  i=0; while [ $i -lt 154 ]; do i=$((i+1)); echo "go: downloading example.org/m$i v1.0.0" >&2; done
  i=0; while [ $i -lt 1200 ]; do i=$((i+1)); echo "example.org/m/p$i" >&2; done
  printf "#!/bin/sh\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`;

function left(): string[] {
  return readdirSync(cache).filter((name) => name.startsWith('build') || name.endsWith('.lock'));
}

test('what was built is kept, and nothing else', async () => {
  const built = await build(
    'touch "$GOTMPDIR/work"; printf "#!/bin/sh\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"',
  );
  expect(built).toEqual({ ok: true, path: builtCliPath(cache) });
  expect(left()).toEqual([]);
  expect(told).toEqual([expect.stringContaining('Building the Temporal CLI')]);
});

test('on a terminal one line moves with each module that is fetched and each package that is compiled', async () => {
  const ticks: string[] = [];
  expect(await build(WHOLE, { onTick: (line) => void ticks.push(line) })).toMatchObject({ ok: true });
  const counted = ticks.map((line) => line.replace(/^Building the Temporal CLI: |, \d+ s$/g, ''));
  expect(counted).toEqual(
    expect.arrayContaining([
      'fetched 1 of about 154 modules',
      'fetched 154 of about 154 modules',
      '0 % (1 of about 1174 packages)',
      '50 % (587 of about 1174 packages)',
      '99 % (1174 of about 1174 packages)',
    ]),
  );
  // More than there should be is not more than the whole.
  expect(counted.at(-1)).toBe('99 % (1200 of about 1174 packages)');
  expect(told).toHaveLength(1);
});

test('without a terminal a line is told at each tenth, and none in between', async () => {
  expect(await build(WHOLE)).toMatchObject({ ok: true });
  const shares = told.slice(1).map((line) => /: (.*), \d+ s$/.exec(line)?.[1]);
  expect(shares).toEqual([
    ...['fetched 77', 'fetched 154'].map((text) => `${text} of about 154 modules`),
    ...[118, 235, 353, 470, 587, 705, 822, 940, 1057, 1174].map((count, at) =>
      expect.stringMatching(`^${at < 9 ? 10 * (at + 1) : 99} % .${count} of about 1174 packages.$`),
    ),
  ]);
});

test('of two builds at once one waits, says for whom, and takes the program of the other', async () => {
  const script = `echo once >> "$FOLDER/builds"; ${WHOLE}`;
  const path = builtCliPath(cache);
  expect(await Promise.all([build(script), build(script)])).toEqual([
    { ok: true, path },
    { ok: true, path },
  ]);
  expect(readFileSync(join(folder, 'builds'), 'utf8')).toBe('once\n');
  expect(told).toContainEqual(
    expect.stringMatching(`^Waiting for process ${process.pid}, which builds the Temporal CLI`),
  );
  expect(left()).toEqual([]);
});

test('why a build fails is told without the packages that were compiled before', async () => {
  const failing = 'echo example.org/a >&2; echo "# example.org/b" >&2; echo "b.go:1:1: no space" >&2; exit 2';
  expect(await build(failing)).toEqual({
    ok: false,
    reason: 'ended with code 2: # example.org/b\nb.go:1:1: no space',
  });
});

test('what makes no better server is not built', async () => {
  await build('echo "$@" > "$FOLDER/args"; echo "CGO_ENABLED=$CGO_ENABLED" >> "$FOLDER/args"; exit 1');
  expect(readFileSync(join(folder, 'args'), 'utf8')).toMatch(
    /^install -v -tags=disable_grpc_modules -gcflags=all=-dwarf=false -ldflags=-s -w github\.com\/temporalio\/cli\/cmd\/temporal@v[\d.]+\nCGO_ENABLED=0\n$/,
  );
});

test('a build that is interrupted lets Go end, and leaves nothing', async () => {
  const stop = new AbortController();
  const building = build(
    'mkdir "$GOTMPDIR/work"; trap "touch $FOLDER/told; exit 1" TERM; touch "$FOLDER/began"; while :; do sleep 0.05; done',
    { signal: stop.signal },
  );
  await until(() => existsSync(join(folder, 'began')));
  stop.abort();
  expect(await building).toEqual({ ok: false, reason: 'interrupted' });
  expect(existsSync(join(folder, 'told'))).toBe(true);
  expect(left()).toEqual([]);
});

test('what a killed build has left goes with the next one', async () => {
  mkdirSync(join(cache, 'build', 'work'), { recursive: true });
  expect(await build('echo no network >&2; exit 1')).toEqual({ ok: false, reason: 'ended with code 1: no network' });
  expect(left()).toEqual([]);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}
