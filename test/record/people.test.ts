/** What waits for people in a namespace, and what people sign. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { CONFIG } from '../cli/planwright.ts';
import { both, createProject, question, sharedProject, steps, word, writePlan } from '../cli/project.ts';
import { recording, type Recorder } from './recorder.ts';
import { fileNamespace } from '../support/file-client.ts';

const BY = ['--by', 'operator'];
const project = sharedProject(undefined, await fileNamespace());
const signing = createProject();

beforeAll(async () => {
  const operator = createKeyPair();
  const keys = { operator: { publicKey: operator.publicKey, subject: 'operator', roles: ['lead'] } };
  const config = join(signing.folder, 'signed.config.ts');
  writeFileSync(join(signing.folder, 'operator.pem'), operator.privateKey, { mode: 0o600 });
  writeFileSync(join(signing.folder, 'other.pem'), createKeyPair().privateKey, { mode: 0o600 });
  writeFileSync(
    config,
    `import base from ${JSON.stringify(CONFIG)};\nexport default { ...base, identity: { keys: ${JSON.stringify(keys)} } };\n`,
  );
  await signing.startWorker(config);
});

afterAll(() => signing.close());

function run({ project: { folder, taskQueue }, planwright }: Recorder, id: string, plan: unknown, ...more: string[]) {
  const how = ['--task-queue', taskQueue, '--workflow-id', id, '--concurrency', '1', '--detach', ...BY];
  return planwright('run', writePlan(folder, plan), ...how, ...more);
}

recording('people-inbox', project, async (at) => {
  const { planwright } = at;
  for (const id of ['first', 'second']) {
    await run(at, id, both(word('ab'), word('cd')));
    // The inbox lists items by the time at which they began to wait.
    await project.until(id, ({ waitingFor }) => waitingFor === 1);
  }
  await run(at, 'third', steps(question('Which?')), '--approval', 'effects');
  // The server lists what it has indexed.
  for (let count = 0; count < 3;) ({ length: count } = (await project.json<Inbox>('inbox')).items);
  await planwright('inbox');
  await planwright('list', '-o', 'text');
  const { digest } = await project.until('first', ({ waitingFor }) => waitingFor === 1);
  await planwright('approve', '--plan', digest, ...BY);
  await project.until('second', ({ phase }) => phase === 'closed');
  await planwright('approve', '--plan', digest, ...BY);
});

interface Inbox {
  readonly items: readonly unknown[];
}

recording('people-signed', signing, async (at) => {
  const { planwright } = at;
  await run(at, 'signed', steps(question('How many?', { schema: { type: 'number' } })));
  const { digest } = await signing.until('signed', ({ waitingFor }) => waitingFor === 1);
  const approve = ['approve', 'signed', '--digest', digest];
  await planwright(...approve, ...BY);
  await planwright(...approve, ...BY, '--key', 'other.pem');
  await planwright(...approve, '--by', 'deputy', '--key', 'operator.pem');
  await planwright(...approve, ...BY, '--role', 'lead', '--comment', 'go', '--key', 'operator.pem');
  const asks = await signing.until('signed', ({ waitingFor, phase }) => waitingFor === 1 && phase === 'running');
  await planwright('answer', 'signed', asks.open[0]?.id ?? '', '3', ...BY, '--key', 'operator.pem');
  await signing.until('signed', ({ phase }) => phase === 'closed');
  await planwright('trace', 'signed', '-o', 'jsonl');
  await at.look('signed');
});
