/** docs/deploying.md: what people copy to a cluster or a machine fits Kubernetes' and systemd's own schemas. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../support/pages.ts';

const blockOf = (title: string) =>
  blocksOf('docs/deploying.md').find((block) => block.title === title)?.text ?? expect.fail(`no block ${title}`);

test('the manifest is a Deployment, as its schema has it', () => {
  const manifest: unknown = parse(blockOf('planwright.yaml'));
  expect(() => new Deployment(manifest as object).validate()).not.toThrow();
  const broken = structuredClone(manifest) as { spec: { replicas: unknown } };
  broken.spec.replicas = 'two';
  expect(() => new Deployment(broken as object).validate()).toThrow(/replicas/);
});

const systemd = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!systemd) console.log('left out: systemd-analyze is not installed, so the unit is not verified');
test.runIf(systemd)('the unit has no key that systemd does not know', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unit-'));
  const file = join(folder, 'planwright.service');
  const verify = async (text: string) => {
    await writeFile(file, text);
    return spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' }).stderr;
  };
  const unit = blockOf('planwright.service');
  expect(await verify(unit)).not.toMatch(/planwright\.service:\d+/);
  expect(await verify(unit.replace('Restart=', 'Restrat='))).toMatch(/planwright\.service:\d+/);
  await rm(folder, { recursive: true });
});
