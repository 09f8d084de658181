/** The build of the Temporal CLI, with programs in the place of Go. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { buildCli, builtCliPath } from '../../../src/cli/dev-server/find-cli.ts';
import { testFolder } from '../../support/folders.ts';
import { eventually } from '../../support/eventually.ts';

let folder: string;
let cache: string;
let told: string[];

beforeEach(() => {
  folder = testFolder('build');
  cache = join(folder, 'cache');
  told = [];
});

/** Builds with a `go` that does what the script says. */
function build(script: string, signal?: AbortSignal) {
  writeFileSync(join(folder, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return buildCli({
    cache,
    env: { PATH: `${folder}:${process.env['PATH']}`, FOLDER: folder },
    ...(signal && { signal }),
    onProgress: (line) => void told.push(line),
  });
}

function left(): string[] {
  return readdirSync(cache).filter((name) => name.startsWith('build'));
}

test('what was built is kept, and nothing else', async () => {
  const built = await build('printf "#!/bin/sh\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"');
  expect(built).toBe(builtCliPath(cache));
  expect(left()).toEqual([]);
  expect(told).toEqual([expect.stringContaining('Building the Temporal CLI')]);
});

test('of two builds at once one is made, which the other waits for', async () => {
  const script =
    'echo built >> "$FOLDER/builds"; printf "#!/bin/sh\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"';
  const built = builtCliPath(cache);
  expect(await Promise.all([build(script), build(script)])).toEqual([built, built]);
  expect(readFileSync(join(folder, 'builds'), 'utf8')).toBe('built\n');
  expect(told).toContain(`Waiting for process ${process.pid}, which builds the Temporal CLI ...`);
  expect(readdirSync(cache)).toEqual([basename(built)]);
});

test('the lock of a builder that was killed is taken over', async () => {
  mkdirSync(cache);
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(`${builtCliPath(cache)}.lock`, JSON.stringify({ pid, host: hostname(), since: '2024-01-01' }));
  const script = 'printf "#!/bin/sh\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"';
  expect(await build(script)).toBe(builtCliPath(cache));
});

test('why a build fails is told', async () => {
  const failing = 'echo "# example.org/b" >&2; echo "b.go:1:1: no space" >&2; exit 2';
  await expect(build(failing)).rejects.toThrow('ended with code 2: # example.org/b\nb.go:1:1: no space');
});

test('what makes no better server is not built', async () => {
  const asked = 'echo "$@" > "$FOLDER/args"; echo "CGO_ENABLED=$CGO_ENABLED" >> "$FOLDER/args"; exit 1';
  await expect(build(asked)).rejects.toThrow('code 1');
  expect(readFileSync(join(folder, 'args'), 'utf8')).toMatch(
    /^install -tags=disable_grpc_modules -gcflags=all=-dwarf=false -ldflags=-s -w github\.com\/temporalio\/cli\/cmd\/temporal@v[\d.]+\nCGO_ENABLED=0\n$/,
  );
});

test('a build that is interrupted lets Go end, and leaves nothing', async () => {
  const stop = new AbortController();
  const building = build(
    'touch "$GOBIN/work"; trap "touch $FOLDER/told; exit 1" TERM; touch "$FOLDER/began"; while :; do sleep 0.05; done',
    stop.signal,
  );
  await eventually(() => existsSync(join(folder, 'began')));
  stop.abort(new Error('interrupted'));
  await expect(building).rejects.toThrow('interrupted');
  expect(existsSync(join(folder, 'told'))).toBe(true);
  expect(left()).toEqual([]);
});
