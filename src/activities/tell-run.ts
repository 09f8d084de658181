/** How a part tells its run what has ended in it, while it goes on. */

import { getClient } from '@temporalio/activity';
import { PART_SIGNAL, type PartNews } from '../protocol/index.ts';
import type { AskedRun } from './gate.ts';

export type TellRun = (run: AskedRun, news: PartNews) => Promise<void>;

export const tellBySignal: TellRun = async ({ workflowId, runId }, news) => {
  await getClient().workflow.getHandle(workflowId, runId).signal<[PartNews]>(PART_SIGNAL, news);
};
