/** Which pollers of a task queue keep a worker from it. */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { refuseStrangers } from '../../src/cli/working/worker.ts';
import type { ConnectedClient } from '../../src/client/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { workerIdentity, type Trust } from '../../src/worker/index.ts';
import { echo, ids } from '../support/capabilities.ts';

const registry = createRegistry([ids]);
const other = createRegistry([echo]);
const ended = spawnSync(process.execPath, ['--version']).pid;

interface Poller {
  readonly identity: string;
  readonly secondsAgo?: number;
  /** It is a build of a deployment. */
  readonly build?: string;
}

/** What is refused and noted where the server lists these pollers. */
async function ask(pollers: readonly Poller[] | Error, trust: Trust = {}, build?: string) {
  const describeTaskQueue = async () => {
    if (pollers instanceof Error) throw pollers;
    const listed = pollers.map(({ identity, secondsAgo = 1, build: buildId }) => {
      const seconds = Math.floor(Date.now() / 1000) - secondsAgo;
      const deploymentOptions = { deploymentName: 'plans', buildId, workerVersioningMode: 2 };
      const lastAccessTime = { seconds: { toNumber: () => seconds } };
      return { identity, lastAccessTime, ...(buildId !== undefined && { deploymentOptions }) };
    });
    return { pollers: listed };
  };
  const connection = { withDeadline: (_at: number, call: () => Promise<unknown>) => call() };
  const connected = { client: { connection, workflowService: { describeTaskQueue } }, namespace: 'default' };
  const notes: string[] = [];
  const refused = await refuseStrangers(
    connected as unknown as ConnectedClient,
    { registry, ...trust },
    'lab',
    { note: (line) => notes.push(line) },
    build,
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { refused, notes };
}

test.each<[string, Poller]>([
  ['on another host', { identity: workerIdentity(other, '1@elsewhere') }],
  ['of another name', { identity: workerIdentity(other, 'bench 2') }],
  ['on this host, at work', { identity: workerIdentity(other) }],
  ['that asked within the minute', { identity: workerIdentity(other, '1@elsewhere'), secondsAgo: 50 }],
])('a worker with other capabilities %s does', async (_name, stranger) => {
  const { refused } = await ask([{ identity: workerIdentity(registry, '2@elsewhere') }, stranger]);
  expect(refused).toMatchObject({
    code: 'TASK_QUEUE_IN_USE',
    exitCode: 2,
    details: { taskQueue: 'lab', worker: stranger.identity },
  });
});

test('a worker without the keys of the others does not join them', async () => {
  const identity = { keys: { operator: { publicKey: createKeyPair().publicKey } } };
  const withKeys = [{ identity: workerIdentity(registry, '1@elsewhere', { identity }) }];
  expect((await ask(withKeys)).refused).toMatchObject({ code: 'TASK_QUEUE_IN_USE' });
  expect((await ask(withKeys, { identity })).refused).toBeUndefined();
  expect((await ask(withKeys, { identity, rules: [{ count: 2 }] })).refused).toMatchObject({
    code: 'TASK_QUEUE_IN_USE',
    message: expect.stringContaining('other capabilities, keys or rules'),
  });
});

test('a worker that does not encrypt does not join those that do, nor one with another key', async () => {
  const keysOf = () => ({ keys: { a: randomBytes(32).toString('base64') }, current: 'a' });
  const encryption = keysOf();
  const encrypting = [{ identity: workerIdentity(registry, '1@elsewhere', { encryption }) }];
  expect((await ask(encrypting)).refused).toMatchObject({ code: 'TASK_QUEUE_IN_USE' });
  expect((await ask(encrypting, { encryption: keysOf() })).refused).toMatchObject({ code: 'TASK_QUEUE_IN_USE' });
  expect((await ask(encrypting, { encryption })).refused).toBeUndefined();
});

test.each<[string, readonly Poller[]]>([
  ['nobody', []],
  ['a worker with the same capabilities', [{ identity: workerIdentity(registry, '1@elsewhere') }]],
  ['one that says no fingerprint', [{ identity: '1@elsewhere' }]],
  ['one that has not asked for a minute', [{ identity: workerIdentity(other, '1@elsewhere'), secondsAgo: 70 }]],
  ['one of this host that has ended', [{ identity: workerIdentity(other, `${ended}@${hostname()}`) }]],
])('%s does not', async (_name, pollers) => {
  expect(await ask(pollers)).toEqual({ refused: undefined, notes: [] });
});

test('a worker of another build does not, and one of the same build does', async () => {
  const stranger = { identity: workerIdentity(other, '1@elsewhere'), build: '1' };
  expect((await ask([stranger], {}, 'plans:2')).refused).toBeUndefined();
  expect((await ask([stranger])).refused).toBeUndefined();
  expect((await ask([stranger], {}, 'plans:1')).refused).toMatchObject({ code: 'TASK_QUEUE_IN_USE' });
  expect((await ask([{ identity: stranger.identity }], {}, 'plans:2')).refused).toBeUndefined();
});

test('a server that does not tell is no reason, and is noted', async () => {
  const { refused, notes } = await ask(new Error('4 DEADLINE_EXCEEDED'));
  expect(refused).toBeUndefined();
  expect(notes).toEqual([expect.stringContaining('task queue lab (4 DEADLINE_EXCEEDED); whether another project')]);
});
