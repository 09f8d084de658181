/** Receipts of runs that never were, as workers sign them. */

import {
  createKeyPair,
  receiptSigner,
  sealReceipt,
  signMessage,
  type Statement,
} from '../../src/protocol/identity/index.ts';

export const OPERATOR = createKeyPair();
export const WORKERS = createKeyPair();
/** What stands in a config, or in keys.json. */
export const IDENTITY = {
  keys: { operator: { publicKey: OPERATOR.publicKey, subject: 'operator' } },
  receiptKeys: { workers: { publicKey: WORKERS.publicKey } },
};
export const SIGNER = receiptSigner(WORKERS.privateKey, IDENTITY);
export const DIGEST = '3fa9c1d2'.repeat(8);
export const CHAIN = '0196a3b2-7c44-7d1e-9a55-0f1e2d3c4b5a';

const RESULT = { ref: 'A'.repeat(43), kind: 'value', count: 1, bytes: 2 };

interface Told {
  readonly workflowId?: string;
  readonly at?: string;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

/** One payment, approved by the operator. */
export async function statementFor({ workflowId = 'plan-1', at = '2026-03-04T05:06:07.000Z', ...told }: Told = {}) {
  const { message = { kind: 'approve', digest: DIGEST }, key = OPERATOR.privateKey } = told;
  const token = await signMessage({ key, kid: 'operator', by: 'operator', workflowId, firstRunId: CHAIN, message });
  const said = { kind: 'approve', by: 'operator', digest: DIGEST, revision: 1, verified: true, token } as const;
  const nodes = [
    {
      ...{ id: 'node_1', key: 'k1', executor: 'capability pay@1 at-most-once', effect: 'at-most-once' },
      ...{ status: 'succeeded', attempts: 1, inputs: [], result: RESULT, binding: 'b1' },
    },
  ] as const;
  const predicate = {
    run: { namespace: 'default', workflowId, firstRunId: CHAIN, runId: CHAIN },
    start: { at },
    end: { at, outcome: 'done' },
    plan: { digest: DIGEST, revision: 1 },
    decisions: [{ seq: 2, at, what: 'decision', text: 'approve', said }],
    ...{ grants: [], dropped: 0, nodes, records: [{ binding: 'b1', executor: nodes[0].executor, handle: RESULT }] },
  } as const;
  const subject = [{ name: workflowId, digest: { sha256: DIGEST } }];
  const types = { _type: 'https://in-toto.io/Statement/v1', predicateType: 'urn:planwright:receipt:v1' } as const;
  return { ...types, subject, predicate } as unknown as Statement;
}

export const sealed = (statement: Statement, signer = SIGNER) => JSON.stringify(sealReceipt(statement, signer));

/** The token with another first letter in its signature: the last ones are often zeros. */
export function withOtherSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}
