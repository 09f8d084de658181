/** The build of the Temporal CLI, with programs in the place of Go. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildCli, builtCliPath } from '../../src/dev-server/build-cli.ts';

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
function build(script: string, signal?: AbortSignal) {
  writeFileSync(join(folder, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const onProgress = (line: string) => void told.push(line);
  return buildCli({
    cache,
    env: { PATH: `${folder}:${process.env['PATH']}`, FOLDER: folder },
    signal,
    onProgress,
    onTick: onProgress,
  });
}

function left(): string[] {
  return readdirSync(cache).filter((name) => name.startsWith('build-') || name.endsWith('.lock'));
}

test('what was built is kept, and nothing else', async () => {
  const built = await build(
    'touch "$GOTMPDIR/work"; printf "#!/bin/sh\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"',
  );
  expect(built).toEqual({ ok: true, path: builtCliPath(cache) });
  expect(left()).toEqual([]);
  expect(told).toEqual([expect.stringContaining('Building the Temporal CLI')]);
});

test('a build that is interrupted lets Go end, and leaves nothing', async () => {
  const stop = new AbortController();
  const building = build(
    'mkdir "$GOTMPDIR/work"; trap "touch $FOLDER/told; exit 1" TERM; touch "$FOLDER/began"; while :; do sleep 0.05; done',
    stop.signal,
  );
  await until(() => existsSync(join(folder, 'began')));
  stop.abort();
  expect(await building).toEqual({ ok: false, reason: 'interrupted' });
  expect(existsSync(join(folder, 'told'))).toBe(true);
  expect(left()).toEqual([]);
});

test('what a killed build has left goes with the next one', async () => {
  mkdirSync(join(cache, 'build-killed', 'work'), { recursive: true });
  expect(await build('echo no network >&2; exit 1')).toEqual({ ok: false, reason: 'ended with code 1: no network' });
  expect(left()).toEqual([]);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}
