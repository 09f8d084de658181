/** A receipt holds only as it was signed; another implementation of the two specifications agrees. */

import { spawnSync } from 'node:child_process';
import { sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createKeyPair,
  createVerifier,
  receiptSigner,
  signMessage,
  verifyReceipt,
} from '../../../src/protocol/identity/index.ts';
import type { Statement } from '../../../src/protocol/identity/index.ts';
import { testFolder } from '../../support/folders.ts';
import { readSource } from '../../support/source-files.ts';
import {
  DIGEST,
  IDENTITY,
  OPERATOR,
  sealed,
  SIGNER,
  statementFor,
  withOtherSignature,
  WORKERS,
} from '../../support/receipts.ts';

const statement = await statementFor();
const receipt = sealed(statement);
const pretty = JSON.stringify(JSON.parse(receipt), null, 2);
const problemsOf = (text: string) => verifyReceipt(text, IDENTITY).problems;

test.each([receipt, `${receipt}\n`, pretty, `${pretty}\n`])('it is valid as it was printed', (text) => {
  const found = verifyReceipt(text, IDENTITY);
  expect(found).toMatchObject({ problems: [], statement });
  expect([...found.verified]).toEqual([[0, { kind: 'approve', by: 'operator', digest: DIGEST }]]);
});

test('another byte in any place makes it invalid', () => {
  const other = fc.tuple(fc.constantFrom(receipt, pretty), fc.nat(), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(other, ([text, place, by]) => {
      const bytes = Buffer.from(text);
      bytes[place % bytes.length]! ^= by;
      expect(problemsOf(bytes.toString('utf8'))).not.toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

test('so does one bit, in every place', () => {
  const bytes = Buffer.from(receipt);
  for (const place of bytes.keys()) {
    bytes[place]! ^= 1;
    expect(problemsOf(bytes.toString('utf8')), `${place}`).not.toEqual([]);
    bytes[place]! ^= 1;
  }
});

/** With a part of what is said in place of another, and signed by workers all the same. */
const lying = (predicate: object) => sealed({ ...statement, predicate: { ...statement.predicate, ...predicate } });
const [decision] = statement.predicate.decisions;
const saying = (said: object) => lying({ decisions: [{ ...decision, said: { ...decision!.said, ...said } }] });
const stranger = createKeyPair();
const tokenIn = ({ predicate }: Statement) => (predicate.decisions[0]!.said as { readonly token: string }).token;
const forged = tokenIn(await statementFor({ key: stranger.privateKey }));
const person = {
  keyid: 'operator',
  key: receiptSigner(OPERATOR.privateKey, { ...IDENTITY, receiptKeys: IDENTITY.keys }).key,
};
const run = statement.predicate.run;
const part = { kind: 'approve-part', nodes: ['node_1'], comment: 'only this' };
const partToken = tokenIn(await statementFor({ message: { ...part, digest: DIGEST } }));
const start = await signMessage({
  ...{ key: OPERATOR.privateKey, kid: 'operator', by: 'operator', workflowId: 'plan-9', message: { kind: 'start' } },
  now: new Date(statement.predicate.start.at),
});

describe('it is not valid', () => {
  test.each<[why: string, text: string, problem: RegExp]>([
    ['unsigned', JSON.stringify(statement), /nobody has signed it/],
    ['with nothing in it', '{}', /it is not a receipt/],
    ['no JSON', 'receipt', /it is not a receipt/],
    ['without signatures', JSON.stringify({ ...JSON.parse(receipt), signatures: [] }), /was changed/],
    ['signed by a person', sealed(statement, person), /no receipt key is named "operator"/],
    [
      'signed by a stranger under our name',
      sealed(statement, {
        ...SIGNER,
        key: receiptSigner(stranger.privateKey, {
          ...IDENTITY,
          receiptKeys: { workers: { publicKey: stranger.publicKey } },
        }).key,
      }),
      /does not fit the receipt key "workers"/,
    ],
    ['about another plan than its subject', lying({ plan: { digest: 'ab'.repeat(32), revision: 1 } }), /subject/],
    ['with a statement that is none', sealed({} as Statement), /cannot be read/],
    ['with a forged token', saying({ token: forged }), /decision 2: the signature does not fit/],
    ['with a token for another run', lying({ run: { ...run, workflowId: 'plan-2' } }), /made for the run "plan-1"/],
    ['with a token for another run of its id', lying({ run: { ...run, firstRunId: 'another' } }), /names the run/],
    ['with a token for another namespace', lying({ run: { ...run, namespace: 'other' } }), /namespace/],
    ['with another kind than was signed', saying({ kind: 'reject' }), /another kind/],
    ['with another plan than was signed', saying({ digest: 'ab'.repeat(32) }), /another digest/],
    ['with another person than has signed', saying({ by: 'deputy' }), /another by/],
    ['with a role that nobody has signed', saying({ role: 'lead' }), /another role/],
    ['with a decision that is said to be signed', saying({ token: undefined }), /signature is missing/],
    [
      'with an invented decision under the number of a signed one',
      lying({
        decisions: [decision, { ...decision, said: { kind: 'approve', by: 'boss', digest: DIGEST, revision: 1 } }],
      }),
      /not in the order/,
    ],
    [
      'with one message three times',
      lying({ decisions: [2, 3, 4].map((seq) => ({ ...decision, seq })) }),
      /there twice/,
    ],
    [
      'with more nodes than were approved',
      saying({ ...part, token: partToken, nodes: ['node_1', 'node_2'] }),
      /another nodes/,
    ],
    [
      'with another comment than was signed',
      saying({ ...part, token: partToken, comment: 'all fine' }),
      /another comment/,
    ],
    ['without a comment that was signed', saying({ ...part, token: partToken, comment: undefined }), /another comment/],
    ['with a comment that nobody has signed', saying({ comment: 'all fine' }), /another comment/],
    [
      'with the start of another run',
      lying({ start: { at: statement.predicate.start.at, run: 'plan-9', token: start } }),
      /the start: .*plan-9/,
    ],
    [
      'with a message as a start',
      lying({ start: { at: statement.predicate.start.at, token: tokenIn(statement) } }),
      /the start/,
    ],
  ])('%s', (_why, text, problem) => {
    expect(problemsOf(text).join('\n')).toMatch(problem);
  });
});

test('it is valid with the first digits of a plan, as some messages name it', async () => {
  const token = tokenIn(await statementFor({ message: { kind: 'reject', digest: DIGEST.slice(0, 8) } }));
  expect(problemsOf(saying({ kind: 'reject', token }))).toEqual([]);
  expect(problemsOf(saying({ ...part, token: partToken }))).toEqual([]);
});

test('of an entry without a signature nothing is verified', () => {
  const invented = {
    ...decision,
    seq: 3,
    said: { kind: 'approve', by: 'boss', digest: DIGEST, revision: 1, verified: false },
  };
  expect([...verifyReceipt(lying({ decisions: [decision, invented] }), IDENTITY).verified.keys()]).toEqual([0]);
});

test('its key signs nothing else: no run believes a token by it', async () => {
  const token = tokenIn(await statementFor({ key: WORKERS.privateKey }));
  expect(createVerifier(IDENTITY).verify(token, 'plan-1')).toMatchObject({ ok: false });
});

test('a key whose public part is in no list signs no receipt', () => {
  expect(() => receiptSigner(stranger.privateKey, IDENTITY)).toThrow(/not in identity\.receiptKeys.*BEGIN PUBLIC KEY/s);
  expect(() => receiptSigner('no key', IDENTITY)).toThrow(/PEM/);
});

test('the signature is that of DSSE, over the vector of its specification too', () => {
  const { payload, payloadType, signatures } = JSON.parse(receipt) as Record<string, string> & {
    signatures: { sig: string }[];
  };
  const bytes = Buffer.from(payload!, 'base64');
  const own = `DSSEv1 28 ${payloadType} ${bytes.length} ${bytes.toString()}`;
  expect(sign(null, Buffer.from(own), SIGNER.key).toString('base64')).toBe(signatures[0]!.sig);
  expect(JSON.parse(bytes.toString())).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: DIGEST } }],
  });
});

describe('docs/verify_receipt.py', () => {
  const script = readSource('docs/verify_receipt.py');
  const missing = ['python3 --version', 'openssl version'].filter((line) => spawnSync('sh', ['-c', line]).status !== 0);

  test('is a program in another language that agrees', (context) => {
    context.skip(missing.length > 0, `needs ${missing.join(' and ')}`);
    expect(script.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
    const folder = testFolder('python');
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write('verify_receipt.py', script);
    write('workers.pub.pem', WORKERS.publicKey);
    write('operator.pub.pem', OPERATOR.publicKey);
    const verify = (text: string) => {
      write('receipt.json', text);
      const words = ['verify_receipt.py', 'receipt.json', 'workers.pub.pem', 'operator=operator.pub.pem'];
      return spawnSync('python3', words, { cwd: folder, encoding: 'utf8' });
    };
    expect(verify(`${receipt}\n`)).toMatchObject({ status: 0, stdout: expect.stringContaining('operator') as string });
    expect(verify(pretty).status).toBe(0);
    const changed = receipt.replace(/"payload":"(.{40})./, (_, kept: string) => `"payload":"${kept}A`);
    const lies = [changed, saying({ token: withOtherSignature(tokenIn(statement)) })];
    const invented = { ...decision, seq: 3, said: { kind: 'approve', by: 'ceo', digest: DIGEST } };
    expect(verify(lying({ decisions: [decision, invented] })).stdout).toBe('valid, signed by operator\n');
    lies.push(saying({ kind: 'reject' }), saying({ by: 'boss' }), saying({ digest: 'ab'.repeat(32) }));
    for (const text of [...lies, lying({ run: { ...run, firstRunId: 'another' } })])
      expect(verify(text).status).toBe(1);
  });
});
