/**
 * Builds dist: compiles, copies what a demo needs beside its code, marks the command as a program, and bundles the
 * workflows so that no worker has to. What is up to date is left alone.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');
const dist = join(root, 'dist');
const main = join(dist, 'cli', 'main.js');
const bundle = join(dist, 'workflows', 'bundle.js');
const CODE = new Set(['.ts', '.js']);

removeOrphans();
compile();
copyAssets();
if (existsSync(main)) chmodSync(main, 0o755);
await bundleWorkflows();

/** What was compiled from a file that is gone would still be there to import. */
function removeOrphans() {
  for (const file of filesBelow(dist)) {
    const stem = file.replace(/(\.d\.ts|\.js)(\.map)?$/, '');
    if (stem === file || join(dist, file) === bundle) continue;
    const sources = [...CODE].map((extension) => join(src, stem + extension));
    if (!sources.some((path) => existsSync(path))) rmSync(join(dist, file));
  }
}

function compile() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function copyAssets() {
  for (const file of filesBelow(join(src, 'demos'))) {
    if (!CODE.has(extname(file))) cpSync(join(src, 'demos', file), join(dist, 'demos', file));
  }
}

async function bundleWorkflows() {
  const inputs = [join(root, 'node_modules', '.package-lock.json'), ...filesBelow(src).map((file) => join(src, file))];
  if (changedAt(bundle) > Math.max(...inputs.map(changedAt))) return;
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { WORKFLOW_SOURCES } = await import(pathToFileURL(join(dist, 'worker', 'index.js')).href);
  const { code } = await bundleWorkflowCode({ ...WORKFLOW_SOURCES, logger: new DefaultLogger('WARN') });
  writeFileSync(bundle, code);
}

/** @param {string} path */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} folder @returns {string[]} paths below it, relative to it */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
