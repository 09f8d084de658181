/** One question to a run. */

import type { WorkflowHandle } from '@temporalio/client';
import { ASK_AGAIN, UNHEARD, type PageRequest, type QueryName } from '../contract/index.ts';

/** How long a question to a worker may take; it is answered in milliseconds when there is one. */
export const ANSWER_MS = 5000;
const BETWEEN_MS = 50;

/** A run may answer a moment later, and says so; the caller bounds how long it is asked. */
export async function askRun<T>(handle: WorkflowHandle, query: QueryName, page: PageRequest): Promise<T> {
  for (const until = Date.now() + ANSWER_MS; ;) {
    try {
      return await askOnce(handle, query, page);
    } catch (error) {
      if (!String(error).includes(ASK_AGAIN) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }
}

/** A run that has ended does not hear any more of what it has not heard, and answers whoever knows that. */
async function askOnce<T>(handle: WorkflowHandle, query: QueryName, page: PageRequest): Promise<T> {
  try {
    return await handle.query<T, [PageRequest]>(query, page);
  } catch (error) {
    if (!String(error).includes(UNHEARD)) throw error;
    const { status, historyLength } = await handle.describe();
    if (status.name === 'RUNNING') throw error;
    return handle.query<T, [PageRequest]>(query, { ...page, ended: historyLength });
  }
}
