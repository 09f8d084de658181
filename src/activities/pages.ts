/** The state that a run hands to its next history, in pages of the result store. */

import type { LoadReply, LoadRequest, SaveReply, SaveRequest } from '../protocol/index.ts';
import { refOfBytes, type ResultStore } from '../store/index.ts';

export async function savePages({ pages }: Pick<SaveRequest, 'pages'>, store: ResultStore): Promise<SaveReply> {
  const contents = pages.map((page) => Buffer.from(page, 'utf8'));
  await store.putAtOnce(contents.map((bytes) => [bytes]));
  return { refs: contents.map(refOfBytes) };
}

/** @throws StoreError when the page is not there, or is not what was stored */
export async function loadPage({ ref }: LoadRequest, store: ResultStore): Promise<LoadReply> {
  return { page: Buffer.from(await store.get(ref)).toString('utf8') };
}
