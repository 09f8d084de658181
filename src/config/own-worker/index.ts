/** The worker of a project: connection, models, conversations. */

export { connectWorker, type WorkerConnection } from './connect-worker.ts';
export { installRuntime, type RuntimeSettings, openTracing } from './open-tracing.ts';
export { openConversations } from './open-conversations.ts';
export { openModels } from './open-models.ts';
export { watchInbox, type InboxWatch } from './watch-inbox.ts';
