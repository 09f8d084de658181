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

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PROJECTS = ['unit', 'server', 'hostile-short', 'faults-short'];

/** @type {{ name: string, command: readonly [string, ...string[]] }[]} */
const GATES = [
  { name: 'build', command: ['node', 'scripts/build.mjs'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc'] },
  { name: 'knip', command: ['knip'] },
  { name: 'package', command: ['publint', '--strict'] },
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

/** @param {string[]} names of the vitest projects to run */
function runTests(names) {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-check-'));
  const tallyFile = join(folder, 'tally.json');
  const filter = names.flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=./scripts/tally-reporter.mjs'];
  const ended = run('tests', ['vitest', 'run', ...filter, ...reporters], { PLANWRIGHT_TALLY: tallyFile });
  const tally = readTally(tallyFile);
  rmSync(folder, { recursive: true });
  passed += tally?.passed ?? 0;
  failed.push(...(tally?.failed ?? []));
  skipped = tally?.skipped ?? [];
  if (tally === undefined) failed.push('tests (vitest ended without a result)');
  else if (tally.passed === 0) failed.push('tests (no test passed)');
  else if (!ended && tally.failed.length === 0) failed.push('tests (vitest failed and no test did)');
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
