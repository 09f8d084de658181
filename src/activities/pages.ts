/** The state that a run hands to its next history, in pages of the result store. */

import type { LoadReply, LoadRequest, SaveReply, SaveRequest } from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';

export async function savePages({ pages }: SaveRequest, store: ResultStore): Promise<SaveReply> {
  const refs: string[] = [];
  for (const page of pages) refs.push(await store.put(Buffer.from(page, 'utf8')));
  return { refs };
}

/** @throws StoreError when the page is not there, or is not what was stored */
export async function loadPage({ ref }: LoadRequest, store: ResultStore): Promise<LoadReply> {
  return { page: Buffer.from(await store.get(ref)).toString('utf8') };
}
