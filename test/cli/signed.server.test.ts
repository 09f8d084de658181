/** A project with keys hears signed messages alone, and its audit says who was proved to have spoken. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { CONFIG, linesIn } from './planwright.ts';
import { both, createProject, question, steps, word, type Project } from './project.ts';

const operator = createKeyPair();
const mallory = createKeyPair();
let project: Project;
let key: string;
let other: string;

beforeAll(async () => {
  project = createProject();
  key = join(project.folder, 'operator.key.pem');
  other = join(project.folder, 'mallory.key.pem');
  writeFileSync(key, operator.privateKey, { mode: 0o600 });
  writeFileSync(other, mallory.privateKey, { mode: 0o600 });
  const config = join(project.folder, 'signed.config.ts');
  const identity = { keys: { operator: { publicKey: operator.publicKey, subject: 'operator', roles: ['lead'] } } };
  writeFileSync(
    config,
    `import base from ${JSON.stringify(CONFIG)};\nexport default { ...base, identity: ${JSON.stringify(identity)} };\n`,
  );
  await project.startWorker(config);
});

afterAll(() => project.close());

test('every command signs with --key or PLANWRIGHT_KEY, and the audit shows it', async () => {
  const plan = steps(question('How many?', { schema: { type: 'number' } }));
  const id = await project.detach(plan);
  const { digest } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
  const approve = ['approve', id, '--digest', digest];
  const unsigned = await project.json(...approve, '--by', 'operator');
  expect(unsigned).toMatchObject({ code: 2, error: { code: 'REFUSED', refusal: 'not-verified' } });
  expect(unsigned.error?.message).toContain('--key');
  const forged = await project.json(...approve, '--by', 'operator', '--key', other);
  expect(forged).toMatchObject({ code: 2, error: { code: 'REFUSED', refusal: 'not-verified' } });
  expect((await project.json(...approve, '--by', 'deputy', '--key', key)).error?.message).toContain('deputy');

  const signed = await project.json(
    ...approve,
    ...['--by', 'operator', '--role', 'lead', '--comment', 'go', '--key', key, '--kid', 'operator'],
  );
  expect(signed).toMatchObject({ code: 0, reply: 'approved' });
  const { open } = await project.until(id, ({ waitingFor, phase }) => waitingFor === 1 && phase === 'running');
  expect(await project.json('pause', id, '--by', 'operator', '--key', key)).toMatchObject({ code: 0 });
  expect(await project.json('resume', id, '--by', 'operator', '--key', key)).toMatchObject({
    code: 0,
  });
  const answered = await project.json('answer', id, open[0]?.id ?? '', '3', '--by', 'operator', '--key', key);
  expect(answered).toMatchObject({ code: 0, reply: 'answered' });

  const { stdout } = await project.type('trace', id, '-o', 'jsonl');
  const entries = linesIn(stdout);
  const said = entries.filter(({ what }) => ['decision', 'answer', 'control'].includes(what as string));
  expect(said.map((entry) => entry['said'])).toMatchObject([
    { kind: 'approve', digest, by: 'operator', role: 'lead', comment: 'go', verified: true },
    { action: 'pause', by: 'operator', verified: true },
    { action: 'resume', by: 'operator', verified: true },
    { question: open[0]?.id, by: 'operator', verified: true },
  ]);
  for (const { at } of entries) expect(new Date(at as string).toISOString()).toBe(at);
});

test('a signed decision that no worker heard at once is heard later', { tags: ['slow'] }, async () => {
  const lonely = createProject();
  const plan = both(word('ab'), word('cd'));
  const compiled = await project.detach(plan);
  const { digest } = await project.until(compiled, ({ waitingFor }) => waitingFor === 1);
  const id = await lonely.detach(plan);
  const kept = await lonely.json('approve', id, '--digest', digest, '--by', 'operator', '--key', key);
  expect(kept).toMatchObject({ code: 0, reply: expect.stringContaining('kept by the server') });
  await lonely.startWorker(join(project.folder, 'signed.config.ts'));
  expect((await lonely.type('result', id)).stdout).toBe('a\nb\nc\nd\n');
  await lonely.close();
});
