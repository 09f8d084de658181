/**
 * Two workers in two folders that share nothing but a result store in PostgreSQL and a Temporal server on PostgreSQL, without
 * containers. PostgreSQL is Debian's; the server is built with Go where it is missing (minutes, once).
 *
 *   node scripts/cluster/start.mjs        until Ctrl-C; says how to reach it
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../servers/go-program.mjs';
import { startPostgres } from '../servers/postgres.mjs';
import { freePort, runServer } from '../servers/server.mjs';
import {
  DATABASES,
  NAMESPACE_STEPS,
  PASSWORD,
  PLUGIN,
  schemaSteps,
  storeUrl,
  USER,
  VERSIONS,
  WORKER,
  WORKERS,
} from './steps.mjs';

const SOURCE = 'go.temporal.io/server';
const version = `v${VERSIONS.temporal}`;
const SERVER = { name: 'temporal-server', source: `${SOURCE}/cmd/server`, version };
const SQL_TOOL = { name: 'temporal-sql-tool', source: `${SOURCE}/cmd/tools/sql`, version };
/** One history shard more does not help one run; a server that grows needs many from its first day. */
const SHARDS = 4;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * @typedef {{ name: string, folder: string, start(): Promise<void>, stop(signal?: NodeJS.Signals): Promise<void> }} ClusterWorker
 * @param {{ workers?: readonly string[], temporal?: string, store?: string }} [options] `temporal`: the CLI; `store`: default the database
 */
export async function startCluster({ workers: names = WORKERS, temporal = cli(), store: other } = {}) {
  const [server, tool] = [build(SERVER), build(SQL_TOOL)];
  const folder = mkdtempSync(join(tmpdir(), 'planwright-cluster-'));
  const postgres = await startPostgres({ settings: ['max_connections=300'] });
  const host = `127.0.0.1:${postgres.port}`;
  makeSchema(tool, postgres.port);
  const [address, running] = await startTemporal(server, folder, host);
  makeNamespace(temporal, address);
  const store = other ?? storeUrl(host);
  const env = { ...process.env, TEMPORAL_ADDRESS: address, PLANWRIGHT_STORE: store };
  const workers = names.map((name) => workerIn(join(folder, name), name, env));
  for (const worker of workers) await worker.start();
  return {
    address,
    store,
    folder,
    env,
    workers,
    async close() {
      for (const worker of workers) await worker.stop();
      await running.stop();
      await postgres.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} tool @param {number} port */
function makeSchema(tool, port) {
  const schema = join(moduleFolder(), 'schema/postgresql/v12');
  const env = {
    ...process.env,
    ...{ SQL_PLUGIN: PLUGIN, SQL_HOST: '127.0.0.1', SQL_PORT: String(port), SQL_USER: USER, SQL_PASSWORD: PASSWORD },
  };
  for (const step of schemaSteps(schema)) execFileSync(tool, step, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** The source of the server, which has its schema. */
function moduleFolder() {
  const told = execFileSync('go', ['mod', 'download', '-json', `${SOURCE}@${version}`], { encoding: 'utf8' });
  return /** @type {{ Dir: string }} */ (JSON.parse(told)).Dir;
}

/** @param {string} program @param {string} folder @param {string} host @returns {Promise<[string, ReturnType<typeof runServer>]>} */
async function startTemporal(program, folder, host) {
  const ports = [];
  for (let n = 0; n < 9; n += 1) ports.push(await freePort());
  const [frontend = 0] = ports;
  const address = `127.0.0.1:${frontend}`;
  writeFileSync(join(folder, 'cluster.yaml'), JSON.stringify(configOf(host, ports, address)));
  const args = ['--root', '/', '--config', folder, '--env', 'cluster', '--allow-no-auth', 'start'];
  const server = runServer(program, args, { isReady: (line) => line.includes('Frontend is now healthy') });
  await server.start();
  return [address, server];
}

/** JSON is YAML. @param {string} host @param {readonly number[]} ports @param {string} address */
function configOf(host, ports, address) {
  const sql = (/** @type {string} */ databaseName) => ({
    sql: {
      ...{
        pluginName: PLUGIN,
        databaseName,
        connectAddr: host,
        connectProtocol: 'tcp',
        user: USER,
        password: PASSWORD,
      },
      ...{ maxConns: 20, maxIdleConns: 20, maxConnLifetime: '1h' },
    },
  });
  const service = (/** @type {number} */ at) => ({
    rpc: { grpcPort: ports[at], membershipPort: ports[at + 1], bindOnLocalHost: true },
  });
  const [, , , , , , , , httpPort] = ports;
  return {
    log: { stdout: true, level: 'info' },
    persistence: {
      ...{ defaultStore: 'default', visibilityStore: 'visibility', numHistoryShards: SHARDS },
      datastores: { default: sql(DATABASES.temporal), visibility: sql(DATABASES.visibility) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: {
      frontend: { rpc: { ...service(0).rpc, httpPort } },
      ...{ history: service(2), matching: service(4), worker: service(6) },
    },
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: address },
    dynamicConfigClient: { filepath: join(root, 'scripts/cluster/dynamic-config.yaml'), pollInterval: '10s' },
  };
}

/** A new namespace is known everywhere some seconds later; until then the server says that there is none. @param {string} temporal @param {string} address */
function makeNamespace(temporal, address) {
  const [describe = [], create = []] = NAMESPACE_STEPS;
  const type = (/** @type {readonly string[]} */ args) =>
    spawnSync(temporal, [...args, '--address', address], { stdio: 'ignore' }).status === 0;
  for (let tries = 0; tries < 60; tries += 1) {
    if (type(describe) || type(create)) return;
    spawnSync('sleep', ['0.5']);
  }
  throw new Error(`the server at ${address} takes no namespace`);
}

/** @param {string} folder @param {string} name @param {NodeJS.ProcessEnv} env @returns {ClusterWorker} */
function workerIn(folder, name, env) {
  mkdirSync(folder, { recursive: true });
  const program = join(root, 'dist/cli/main.js');
  const worker = runServer(process.execPath, [program, ...WORKER], {
    options: { cwd: folder, env },
    isReady: (line) => line.includes('worker ready'),
  });
  return { name, folder, start: worker.start, stop: (signal) => worker.stop(signal) };
}

/** The Temporal CLI: that of the environment, of the PATH, or the one that `planwright dev` has built. */
function cli() {
  const { TEMPORAL_CLI_PATH: named, PLANWRIGHT_CACHE: own, XDG_CACHE_HOME: cache } = process.env;
  if (named) return named;
  if (spawnSync('temporal', ['--version']).status === 0) return 'temporal';
  return join(own || join(cache || join(homedir(), '.cache'), 'planwright'), 'temporal-v1.5.1');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cluster = await startCluster();
  console.log(`export TEMPORAL_ADDRESS=${cluster.address}\nexport PLANWRIGHT_STORE='${cluster.store}'`);
  console.log(`workers in ${cluster.workers.map(({ folder }) => folder).join(' and ')}; Ctrl-C ends all of it`);
  process.once('SIGINT', () => void cluster.close());
  process.once('SIGTERM', () => void cluster.close());
}
