/** The capabilities of `conversation: true`: drafts in the project's store, and runs on its server. */

import type { Capability } from '../../capabilities/index.ts';
import type { Encryption } from '../index.ts';
import { openProjectStore, sessionIn, startOnce, withConnection, type Session } from './connect.ts';

/** Each call opens a connection: a project may be opened without a server. */
export async function conversationCapabilities(
  store: () => string,
  taskQueue: string,
  encryption: Encryption | undefined,
): Promise<readonly Capability[]> {
  const { draftCapabilities } = await import('../../capabilities/builtin/index.ts');
  const { createDrafts } = await import('../../capabilities/builtin/drafts/index.ts');
  return draftCapabilities({
    drafts: createDrafts(await openProjectStore(store(), encryption)),
    startRun: (...given) => within((session) => startOnce(session)(...given)),
    resultsOf: (workflowId, signal) => within((session) => resultsOf(session, workflowId, signal)),
  });

  function within<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const options = { store: store(), taskQueue, encryption };
    return withConnection({}, async (connected) => work(await sessionIn(connected, options)), encryption);
  }
}

/** A failed run says why, and the caller decides. */
async function resultsOf({ plans }: Session, workflowId: string, signal: AbortSignal) {
  const { resultJson } = await import('../../planner/index.ts');
  const run = plans.run(workflowId);
  const end = await run.end(signal);
  if (end.how !== 'completed') return { outcome: end.how, message: end.message, results: {} };
  const { outcome, result, results } = end.result;
  const handles = Object.entries(results ?? (result === undefined ? {} : { result }));
  const values = await Promise.all(
    handles.map(async ([key, { ref }]) => [key, resultJson(await run.readResult(ref))] as const),
  );
  return { outcome, results: Object.fromEntries(values) };
}
