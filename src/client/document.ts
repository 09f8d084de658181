/** A plan document on its way to a run. */

import { canonicalJson, type JsonValue } from '../plan/index.ts';
import { DOCUMENTS, resultsIn, type Store } from '../store/index.ts';

/** Above it a document travels by reference: history would carry it twice, as the message and as the compiler's input. */
const INLINE_BYTES = 2048;

/** Text, bytes or parsed JSON: as it stands, or its reference in the store that the worker reads too. */
export async function documentToSend(document: unknown, store: Store): Promise<{ plan: unknown } | { ref: string }> {
  const bytes = document instanceof Uint8Array ? document : Buffer.from(textOf(document), 'utf8');
  if (bytes.length > INLINE_BYTES) return { ref: await resultsIn(store, DOCUMENTS).put(bytes) };
  return { plan: document instanceof Uint8Array ? Buffer.from(bytes).toString('utf8') : document };
}

/** Deep documents would overflow JSON.stringify; the canonical form is written without recursion. */
function textOf(document: unknown): string {
  return typeof document === 'string' ? document : canonicalJson(document as JsonValue);
}
