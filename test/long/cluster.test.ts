/** Two workers in two folders that share nothing but a store and a server on PostgreSQL: `scripts/cluster/start.mjs`. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startCluster } from '../../scripts/cluster/start.mjs';
import { ROOT } from '../support/source-files.ts';

const run = promisify(execFile);

test('a run goes on where a worker is killed, with what that one has stored; both of them have a part in it', async () => {
  const cluster = await startCluster();
  try {
    const type = (...words: readonly string[]) =>
      run(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...words], {
        cwd: cluster.folder,
        env: cluster.env,
        maxBuffer: 2 ** 26,
      });
    const plan = join(ROOT, 'examples/gene-strategies/plan.json');
    const start = (id: string) =>
      type('run', plan, '--demo', 'gene-strategies', '--yes', '--detach', '--workflow-id', id);
    const [first, second] = cluster.workers;
    const runs = Array.from({ length: 6 }, (_, n) => `plan-${n}`);
    await Promise.all(runs.map(start));
    const doneIn = async (id: string) => {
      const { stdout } = await type('status', id, '-o', 'json');
      return (JSON.parse(stdout) as { counts: { succeeded: number } }).counts.succeeded;
    };
    await expect.poll(() => doneIn('plan-0')).toBeGreaterThan(2);
    await first?.stop('SIGKILL');
    const results = await Promise.all(runs.map((id) => type('watch', id).then(() => type('result', id))));
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1);
    expect(results[0]?.stdout.split('\n').length).toBeGreaterThan(2000);
    const workersOf = async (id: string) => {
      const { stdout } = await type('trace', id, '-o', 'json');
      return (JSON.parse(stdout) as { nodes: { worker: { process: string } }[] }).nodes.map(({ worker }) =>
        JSON.stringify(worker),
      );
    };
    const seen = new Set((await Promise.all(runs.map(workersOf))).flat());
    expect(seen.size).toBe(2);
    for (const { folder } of [first, second].flatMap((one) => one ?? []))
      expect(existsSync(join(folder, '.planwright'))).toBe(false);
    const checked = await type('doctor', '--store', cluster.env.PLANWRIGHT_STORE, '-o', 'json');
    expect(checked.stdout).toContain('all whole');
    const cleared = await type('store', 'gc', '--remove', '-o', 'json');
    expect(JSON.parse(cleared.stdout)).toMatchObject({ ok: true, goneRuns: 0, removed: { count: 0 } });
  } finally {
    await cluster.close();
  }
}, 1_200_000);
