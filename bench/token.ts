/**
 * The cost of a signed message: the first token prepares the curve, each further one is verified alone. Without a server.
 * Prints one JSON line.
 *
 *   npx tsx bench/token.ts [tokens]
 */

import { loadavg } from 'node:os';
import { createKeyPair, createVerifier, signMessage } from '../src/protocol/identity/index.ts';

const TOKENS = Number(process.argv[2] ?? 1000);
const { privateKey, publicKey } = createKeyPair();
const verifier = createVerifier({ keys: { operator: { publicKey, subject: 'operator' } } });
const token = await signMessage({
  key: privateKey,
  by: 'operator',
  workflowId: 'plan-1',
  message: { kind: 'approve', digest: '3fa9c1d2' },
});

/** Milliseconds for each, of so many one after the other. */
function verified(times: number): number {
  const from = performance.now();
  for (let count = 0; count < times; count++) {
    if (!verifier.verify(token, 'plan-1').ok) throw new Error('the token was refused');
  }
  return (performance.now() - from) / times;
}

const firstMs = verified(1);
process.stdout.write(`${JSON.stringify({ case: 'token', firstMs, eachMs: verified(TOKENS), load: loadavg()[0] })}\n`);
