/**
 * Runs every gate of the project and all tests, in order, to the end, and then says what failed. The last line is
 * `N passed, N failed`: one for each gate, and one for each test.
 *
 * With names as arguments only those run: `node scripts/check.mjs lint types`, `node scripts/check.mjs unit`.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference-pages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PROJECTS = ['unit', 'server', 'hostile-short', 'faults-short'];

/**
 * Tests of one file that failed beside others are run once more with nothing beside them: a machine that stands still
 * for seconds breaks deadlines which the product rightly keeps, and unit tests start browsers and processes too. What
 * fails alone has failed; what does not is told.
 */
const MAX_FILES_AGAIN = 4;

/** @type {{ name: string, command: readonly [string, ...string[]] }[]} */
const GATES = [
  { name: 'build', command: ['node', 'scripts/build.mjs'] },
  // The build has written them: one that differs from git was not committed with its change.
  { name: 'generated pages', command: ['git', 'diff', '--exit-code', '--stat', '--', ...referencePages(root)] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc'] },
  { name: 'types of the page', command: ['tsc', '-p', 'tsconfig.page.json'] },
  { name: 'knip', command: ['knip'] },
  { name: 'package', command: ['publint', '--strict'] },
  { name: 'lines', command: ['node', 'scripts/count-lines.mjs'] },
];

const wanted = process.argv.slice(2);
const known = [...GATES.map(({ name }) => name), ...PROJECTS];
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  process.exit(2);
}

let passed = 0;
/** @type {string[]} */
const failed = [];
/** @type {import('./tally-reporter.mjs').Tally['skipped']} */
let skipped = [];

for (const { name, command } of GATES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (run(name, command)) passed += 1;
  else failed.push(`${name} (${command.join(' ')})`);
}
const projects = PROJECTS.filter((name) => wanted.length === 0 || wanted.includes(name));
if (projects.length > 0) runTests(projects);

console.log('\n== summary');
for (const { name, reason } of skipped)
  console.log(`skipped: ${name}: ${reason ?? 'NO REASON GIVEN, counts as failed'}`);
failed.push(
  ...skipped.filter(({ reason }) => reason === undefined).map(({ name }) => `${name} (skipped without a reason)`),
);
for (const name of failed) console.log(`failed: ${name}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** @param {string[]} chosen of the vitest projects */
function runTests(chosen) {
  const { ended, tally } = runVitest('tests', chosen, []);
  const failures = tally?.failed ?? [];
  const keys = new Set(failures.map(({ project, file }) => `${project} ${file}`));
  // What fails outside any file cannot be run again.
  const isWorthIt = keys.size <= MAX_FILES_AGAIN && failures.every(({ file }) => file !== '');
  for (const key of keys) {
    const [project, file] = /** @type {[string, string]} */ (key.split(' '));
    const names = failures.filter((one) => one.project === project && one.file === file).map(({ name }) => name);
    if (!isWorthIt || !runVitest(`alone: ${file}`, [project], [file]).ended) {
      failed.push(...names);
      continue;
    }
    passed += names.length;
    for (const name of names) console.log(`failed beside others, passed alone: ${name}`);
  }
  passed += tally?.passed ?? 0;
  skipped = tally?.skipped ?? [];
  if (tally === undefined) failed.push('tests (vitest ended without a result)');
  else if (tally.passed === 0) failed.push('tests (no test passed)');
  else if (!ended && tally.failed.length === 0) failed.push('tests (vitest failed and no test did)');
}

/** @param {string} name @param {string[]} chosen of the vitest projects @param {string[]} files all where there are none */
function runVitest(name, chosen, files) {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-check-'));
  const tallyFile = join(folder, 'tally.json');
  const filter = ['--tags-filter=!slow', ...chosen.flatMap((project) => ['--project', project])];
  const reporters = ['--reporter=default', '--reporter=./scripts/tally-reporter.mjs'];
  const ended = run(name, ['vitest', 'run', ...filter, ...reporters, ...files], { PLANWRIGHT_TALLY: tallyFile });
  const tally = readTally(tallyFile);
  rmSync(folder, { recursive: true });
  return { ended, tally };
}

/** @param {string} path @returns {import('./tally-reporter.mjs').Tally | undefined} */
function readTally(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} name @param {readonly [string, ...string[]]} command @param {NodeJS.ProcessEnv} [env] */
function run(name, [program, ...args], env = {}) {
  console.log(`\n== ${name}: ${[program, ...args].join(' ')}`);
  const started = Date.now();
  const path = `${join(root, 'node_modules', '.bin')}${process.platform === 'win32' ? ';' : ':'}${process.env['PATH']}`;
  const options = { cwd: root, stdio: /** @type {const} */ ('inherit'), env: { ...process.env, PATH: path, ...env } };
  const { status, error } = spawnSync(program === 'node' ? process.execPath : program, args, options);
  if (error) console.error(error.message);
  console.log(`== ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return status === 0;
}
