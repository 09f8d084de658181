/** The checks of `planwright doctor`, in order. If a check fails, later checks that depend on it are skipped. */

import { encryptionKeys, type Encryption } from '../../config/index.ts';
import { equipped, folderStore, openProjectStore, type Project, checkNamespace } from '../../config/project/index.ts';
import { loadModelsForWork, toOperationError, type Plans } from '../../operations/index.ts';
import { counted, cutCharacters } from '../../plan/text/index.ts';
import { isEncrypted } from '../../store/index.ts';
import { asTyped } from '../typed-command.ts';
import { type DoctorCheck, buildCheck } from './build-check.ts';
import { connectClient, type ConnectedClient } from '../../client/index.ts';
import { DEFAULT_TASK_QUEUE } from '../../protocol/index.ts';
import { pollersOf, type Poller } from '../../client/reach/index.ts';

interface Questions {
  readonly taskQueue?: string | undefined;
  readonly store?: string | undefined;
}

/** Runs the checks. Ends early if the next one would fail for the same reason. */
export async function* examine(plans: Plans, options: Questions): AsyncGenerator<DoctorCheck> {
  yield nodeCheck(process.versions.node);
  const opened = await openedProject(plans, options);
  yield opened.check;
  const encryption = opened.project?.encryption;
  if (encryption !== undefined) yield keysThere(encryption);
  yield await storeWritable(opened.store, encryption, options.store !== undefined);
  yield* examineServer(options.taskQueue ?? opened.project?.taskQueue);
}

const LEAST_NODE = [20, 19] as const;

export function nodeCheck(version: string): DoctorCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  const here = `Node.js ${version}`;
  const fits = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (!fits) return { check: 'node', state: 'fail', message: `${here}; install ${LEAST_NODE.join('.')} or later` };
  return major === leastMajor
    ? { check: 'node', state: 'warn', message: `${here} ${PAST_ITS_END}` }
    : { check: 'node', state: 'ok', message: here };
}

/** The message about an old Node.js. Its date is from the release schedule of Node.js. */
const PAST_ITS_END =
  'has had no security fixes since April 2026, and a step of a workflow that lasts too long ends its whole worker, where 24 ' +
  'fails that step alone: install 24';

interface Opened {
  readonly check: DoctorCheck;
  readonly project?: Project;
  readonly store: string;
}

const MOST_WITHHELD = 2000;

/** Checks the config. A broken config fails. Having none is fine for people who only send messages to runs. */
async function openedProject(plans: Plans, options: Questions): Promise<Opened> {
  const fallback = options.store ?? (await folderStore());
  try {
    const opened = await plans.project();
    if (opened === undefined) {
      const message = `no planwright.config.ts here; \`${asTyped('init')}\` writes one, --config FILE names one`;
      return { check: { check: 'config', state: 'warn', message }, store: fallback };
    }
    const project = await equipped(opened);
    const count = project.registry.capabilities.length;
    const agents = project.registry.agents.length;
    const model = (await loadModelsForWork(project))?.planner.client.name;
    const message =
      `${count} capabilit${count === 1 ? 'y' : 'ies'}, ${agents} agent${agents === 1 ? '' : 's'}, ` +
      `${model === undefined ? 'no model' : `model ${model}`}, task queue ${project.taskQueue}`;
    const { registry } = project;
    const lost = registry.withheld.filter(({ name }) => registry.capability(name) === undefined);
    const why = cutCharacters(lost.map((one) => `; ${one.name} is withheld: ${one.why}`).join(''), MOST_WITHHELD);
    const state = lost.length === 0 ? 'ok' : 'warn';
    return { check: { check: 'config', state, message: `${message}${why}` }, project, store: project.store() };
  } catch (error) {
    const failure = toOperationError(error, asTyped);
    if (failure.code === 'USAGE') throw failure;
    return { check: { check: 'config', state: 'fail', message: failure.message }, store: fallback };
  }
}

function keysThere(encryption: Encryption): DoctorCheck {
  const check = 'encryption';
  try {
    const { keys, current, missing } = encryptionKeys(encryption);
    const use = `encrypts with the key ${current}, decrypts with ${Object.keys(keys).join(', ')}`;
    if (missing.length === 0) return { check, state: 'ok', message: use };
    const names = missing.map(({ id, env }) => `${id} (${env})`).join(', ');
    const message = `${use}; the environment lacks ${names}: what was encrypted with it is not read here`;
    return { check, state: 'warn', message };
  } catch (error) {
    return { check, state: 'fail', message: (error as Error).message };
  }
}

/** Checks that the store can be written and read. @param isRead also compares all content with its digests */
async function storeWritable(named: string, encryption: Encryption | undefined, isRead: boolean): Promise<DoctorCheck> {
  try {
    const store = await openProjectStore(named, encryption);
    if (encryption === undefined && (await isEncrypted(store)))
      return { check: 'store', state: 'fail', message: `${store.place} is encrypted, and this project has no keys` };
    await store.probe?.();
    if (!isRead) return { check: 'store', state: 'ok', message: `${store.place} can be written and read` };
    const { checkStore } = await import('../../operations/upkeep/read-store.ts');
    const { amounts, problems, problemCount } = await checkStore(store);
    const count = Object.values(amounts).reduce((sum, amount) => sum + amount.count, 0);
    const whole = counted(count, 'key');
    if (problemCount === 0) return { check: 'store', state: 'ok', message: `${store.place}: ${whole}, all whole` };
    const message = `${store.place}: ${whole} whole, ${counted(problemCount, 'problem')}: ${problems.join(' ')}`;
    return { check: 'store', state: 'fail', message };
  } catch (error) {
    const message = `${(error as Error).message.replace(/\.?$/, '.')} Name another store with --store or PLANWRIGHT_STORE`;
    return { check: 'store', state: 'fail', message };
  }
}

/** Runs the checks of the server. Ends early if the next one would fail for the same reason. */
async function* examineServer(taskQueue = DEFAULT_TASK_QUEUE): AsyncGenerator<DoctorCheck> {
  let connected: ConnectedClient;
  try {
    connected = await connectClient();
  } catch (error) {
    yield { check: 'server', state: 'fail', message: toOperationError(error, asTyped).message };
    return;
  }
  try {
    yield { check: 'server', state: 'ok', message: `Temporal answers at ${connected.address}` };
    const namespace = await namespaceCheck(connected);
    yield namespace;
    if (namespace.state === 'fail') return;
    yield await workerCheck(connected, taskQueue);
    const builds = await buildCheck(connected, taskQueue);
    if (builds !== undefined) yield builds;
  } finally {
    await connected.close();
  }
}

async function namespaceCheck(connected: ConnectedClient): Promise<DoctorCheck> {
  try {
    await checkNamespace(connected);
    return { check: 'namespace', state: 'ok', message: `namespace ${connected.namespace} is there` };
  } catch (error) {
    return { check: 'namespace', state: 'fail', message: toOperationError(error, asTyped).message };
  }
}

/** Finds workers that polled recently, since the server lists dead ones for minutes. */
async function workerCheck(connected: ConnectedClient, taskQueue: string): Promise<DoctorCheck> {
  const start = `start one with \`${asTyped(`worker --task-queue ${taskQueue}`)}\`; runs wait until one is there`;
  try {
    const pollers = await pollersOf(connected, taskQueue, 'workflow');
    const there = pollers.filter(({ isThere }) => isThere);
    const message = there.length > 0 ? `${there.length} on task queue ${taskQueue}: ${inWords(there)}` : undefined;
    if (message !== undefined) return { check: 'worker', state: 'ok', message };
    const gone = pollers.length === 0 ? '' : ` any more (${inWords(pollers)})`;
    return { check: 'worker', state: 'fail', message: `no worker on task queue ${taskQueue}${gone}; ${start}` };
  } catch (error) {
    const message = `the server does not say who works on task queue ${taskQueue}: ${(error as Error).message}; ${start}`;
    return { check: 'worker', state: 'warn', message };
  }
}

function inWords(pollers: readonly Poller[]): string {
  return pollers
    .map(
      ({ identity, ago, build }) =>
        `${identity}${build === undefined ? '' : ` (${build})`}, asked ${Math.round(ago / 1000)} s ago`,
    )
    .join('; ');
}
