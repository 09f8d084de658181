/**
 * Builds dist: compiles the sources, their comments into the declarations alone, and then the examples, which see what was
 * built, copies the files that an example needs beside its code, marks the command as a program, writes the pages of docs/api,
 * removes the declarations that no door reaches, writes the commands as data and the pages of reference, and bundles the
 * workflows so that no worker has to. Does nothing where everything is up to date.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { apiPages, doorsOf, writeApiPages } from './api-pages.mjs';
import { bundleWorkflows } from './bundle-workflows.mjs';
import { keepReached, writeOutTables } from './declarations.mjs';
import { referencePages, writeReferencePages } from './reference-pages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');
const dist = join(root, 'dist');
/** Folders of sources, and where in dist each lies. */
const PLACES = [
  { from: src, to: dist, project: 'tsconfig.build.json', isDeclared: true },
  { from: join(root, 'examples'), to: join(dist, 'examples'), project: 'tsconfig.examples.json', isDeclared: false },
];
const sdk = createRequire(import.meta.url)('@temporalio/worker/package.json');
/** Named as `src/worker/workflow-sources.ts` looks for it. */
const bundle = join(dist, 'workflows', `bundle-${sdk.version}.js`);
/** Named as `src/operations/describe.ts` reads it. */
const rows = join(dist, 'operations', 'commands.json');
const CODE = new Set(['.ts', '.js']);
/** A browser runs these as they are. */
const SERVED = join('page', 'assets') + sep;
/** For readers of the sources; nothing of it is built. */
const NOTE = 'README.md';

if (!isUpToDate()) {
  removeOrphans();
  for (const place of PLACES) {
    compile(place);
    copyAssets(place);
  }
  chmodSync(join(dist, 'cli', 'main.js'), 0o755);
  const declarations = filesBelow(dist).flatMap((file) => (file.endsWith('.d.ts') ? join(dist, file) : []));
  writeOutTables(declarations);
  writeApiPages(root);
  keepReached(
    declarations,
    doorsOf(root).map(({ types }) => types),
  );
  const { describeAll } = await import(pathToFileURL(join(dist, 'cli', 'commands', 'index.js')).href);
  writeFileSync(rows, JSON.stringify(await describeAll()));
  await writeReferencePages(root);
  const { WORKFLOW_SOURCES } = await import(pathToFileURL(join(dist, 'worker.js')).href);
  writeFileSync(bundle, await bundleWorkflows(WORKFLOW_SOURCES, root));
}

/** The bundle is made last, so that nothing is older than it. */
function isUpToDate() {
  const built = changedAt(bundle);
  const projects = PLACES.map(({ project }) => project);
  const settings = ['package.json', 'tsconfig.json', ...projects, 'node_modules/.package-lock.json'];
  const scripts = ['build', 'api-pages', 'reference-pages', 'bundle-workflows', 'declarations'].map(
    (name) => `scripts/${name}.mjs`,
  );
  const inputs = [
    ...[...settings, ...scripts].map((file) => join(root, file)),
    ...PLACES.flatMap(({ from }) => filesBelow(from).map((file) => join(from, file))),
  ];
  const outputs = [
    ...PLACES.flatMap(({ from, to }) => filesBelow(from).map((file) => join(to, file.replace(/\.ts$/, '.js')))),
    ...apiPages(root),
    ...referencePages(root),
  ];
  return inputs.every((file) => changedAt(file) < built) && outputs.every(existsSync) && orphans().length === 0;
}

/** What was made from a file that is gone would still be there to import. */
function removeOrphans() {
  for (const file of orphans()) rmSync(join(dist, file));
}

function orphans() {
  return filesBelow(dist).filter((file) => {
    const stem = file.replace(/(\.d\.ts|\.js)$/, '');
    const sources = stem === file ? [file] : [...CODE].map((extension) => stem + extension);
    const from = file.startsWith(`examples${sep}`) ? root : src;
    return ![bundle, rows].includes(join(dist, file)) && !sources.some((path) => existsSync(join(from, path)));
  });
}

/** The compiler leaves comments out of both kinds of files or of none. @param {{ project: string, isDeclared: boolean }} place */
function compile({ project, isDeclared }) {
  // Sources are checked by `npm run typecheck`; examples here, as strangers see the package.
  if (isDeclared) tsc('-p', project, '--noCheck', '--declaration', '--emitDeclarationOnly');
  tsc('-p', project, '--removeComments', ...(isDeclared ? ['--noCheck'] : []));
}

/** @param {readonly string[]} args */
function tsc(...args) {
  const path = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** @param {{ from: string, to: string }} place */
function copyAssets({ from, to }) {
  for (const file of filesBelow(from)) {
    if (!CODE.has(extname(file)) || file.startsWith(SERVED)) cpSync(join(from, file), join(to, file));
  }
}

/** @param {string} path */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} folder @returns {string[]} paths below it that are built, relative to it */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== NOTE)
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
