/** Receipts by commands: printed, verified and listed, the last two where nobody answers. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Statement } from '../../src/protocol/identity/index.ts';
import { IDENTITY, OPERATOR, WORKERS } from '../support/receipts.ts';
import { CONFIG, planwright } from './planwright.ts';
import { createProject, question, steps, word, type Project } from './project.ts';

let project: Project;
let key: string;
const write = (name: string, text: string) => writeFileSync(join(project.folder, name), text, { mode: 0o600 });

beforeAll(async () => {
  project = createProject();
  key = join(project.folder, 'operator.key.pem');
  write('operator.key.pem', OPERATOR.privateKey);
  write('workers.key.pem', WORKERS.privateKey);
  write('keys.json', JSON.stringify(IDENTITY));
  const more = `receipts: { key: 'workers.key.pem' }, identity: ${JSON.stringify(IDENTITY)}`;
  write('planwright.config.ts', `import base from ${JSON.stringify(CONFIG)};\nexport default { ...base, ${more} };\n`);
  await project.startWorker('planwright.config.ts');
});
afterAll(() => project.close());

test('a receipt is printed as it is, verified by the keys alone, and listed', async () => {
  const id = await project.detach({ goal: 'Letters', plan: word('ab') });
  const { digest } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
  await project.type('approve', id, '--digest', digest, '--by', 'operator', '--key', key, '--comment', 'go');
  expect((await project.type('result', id)).code).toBe(0);
  const printed = await project.type('receipt', id);
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  // Without a server, and in a folder without a config.
  const env = { ...project.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const away = (...words: string[]) => planwright(words, { env, cwd: project.folder });
  expect((await away('receipt', id)).stdout).toBe(printed.stdout);
  for (const { stdout } of [printed, await away('receipt', id, '-o', 'json')]) {
    write('receipt.json', stdout);
    const words = ['verify', 'receipt.json', '--keys', 'keys.json'];
    expect(await away(...words)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^valid +true[^]*It does not prove/) as string,
    });
    const { decisions, ...found } = JSON.parse((await away(...words, '-o', 'json')).stdout) as Record<string, unknown>;
    expect(found).toMatchObject({ ok: true, valid: true, problems: [], digest, outcome: 'done' });
    expect(decisions).toMatchObject([{ kind: 'approve', by: 'operator', comment: 'go', verified: true }]);
  }
  write('receipt.json', printed.stdout.replace('"sig":"', '"sig":"A'));
  const changed = await away('verify', 'receipt.json', '--keys', 'keys.json');
  expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('does not fit the receipt key') as string });
  const listed = await away('decisions', '--since', '1d', '--by', 'operator', '--digest', digest.slice(0, 8));
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(new RegExp(`${id} +approve +operator +true +${digest}`));
  expect((await away('decisions', '--by', 'deputy')).stdout).toContain('none');
});

test('of a run that has none the statement is unsigned, and says so', async () => {
  const id = await project.detach(steps(question('How many?')));
  await project.until(id, ({ waitingFor }) => waitingFor === 1);
  const { stdout, stderr, code } = await project.type('receipt', id);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Nobody has signed this') as string });
  const { predicate, unsigned } = JSON.parse(stdout) as Statement & { readonly unsigned: string };
  expect(unsigned).toContain('Nobody has signed this');
  expect(predicate).toMatchObject({ run: { workflowId: id }, decisions: [] });
  expect(predicate).not.toHaveProperty('end');
  write('open.json', stdout);
  const verified = await project.type('verify', 'open.json', '--keys', 'keys.json');
  expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining('nobody has signed it') as string });
});
