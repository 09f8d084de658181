/**
 * Builds dist: compiles, copies what a demo needs beside its code, marks the command as a program, writes the pages of
 * docs/api, and bundles the workflows so that no worker has to. Does nothing where everything is up to date.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { apiPages, writeApiPages } from './api-pages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');
const dist = join(root, 'dist');
const main = join(dist, 'cli', 'main.js');
const sdk = createRequire(import.meta.url)('@temporalio/worker/package.json');
/** Named as `src/worker/plugin/workflow-sources.ts` looks for it. */
const bundle = join(dist, 'engine', 'workflows', `bundle-${sdk.version}.js`);
const CODE = new Set(['.ts', '.js']);
/** For readers of the sources; nothing of it is built. */
const NOTE = 'README.md';

if (!isUpToDate()) {
  removeOrphans();
  compile();
  copyAssets();
  chmodSync(main, 0o755);
  writeApiPages(root);
  await bundleWorkflows();
}

/** The bundle is made last, so that nothing is older than it. */
function isUpToDate() {
  const built = changedAt(bundle);
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'node_modules/.package-lock.json'];
  const inputs = [
    ...settings,
    'scripts/build.mjs',
    'scripts/api-pages.mjs',
    ...sources().map((file) => join('src', file)),
  ];
  const outputs = [...sources().map((file) => join(dist, file.replace(/\.ts$/, '.js'))), ...apiPages(root)];
  return (
    inputs.every((file) => changedAt(join(root, file)) < built) && outputs.every(existsSync) && orphans().length === 0
  );
}

/** What was made from a file that is gone would still be there to import. */
function removeOrphans() {
  for (const file of orphans()) rmSync(join(dist, file));
}

function orphans() {
  return filesBelow(dist).filter((file) => {
    const stem = file.replace(/(\.d\.ts|\.js)$/, '');
    const origins = stem === file ? [file] : [...CODE].map((extension) => stem + extension);
    const isMade = basename(file) !== NOTE && origins.some((path) => existsSync(join(src, path)));
    return join(dist, file) !== bundle && !isMade;
  });
}

function compile() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function copyAssets() {
  for (const file of sources()) {
    if (!CODE.has(extname(file))) cpSync(join(src, file), join(dist, file));
  }
}

async function bundleWorkflows() {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { WORKFLOW_SOURCES } = await import(pathToFileURL(join(dist, 'worker.js')).href);
  const { code } = await bundleWorkflowCode({
    ...WORKFLOW_SOURCES,
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: withPathsFromRoot,
  });
  writeFileSync(bundle, code);
}

/**
 * Its map names its sources: whoever installs the package has them elsewhere than whoever built it.
 *
 * @type {NonNullable<import('@temporalio/worker').BundleOptions['webpackConfigHook']>}
 */
function withPathsFromRoot(config) {
  const devtoolModuleFilenameTemplate = (/** @type {{ absoluteResourcePath: string }} */ { absoluteResourcePath }) =>
    relative(root, absoluteResourcePath);
  return { ...config, output: { ...config.output, devtoolModuleFilenameTemplate } };
}

function sources() {
  return filesBelow(src).filter((file) => basename(file) !== NOTE);
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
