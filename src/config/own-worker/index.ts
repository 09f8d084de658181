export { connectWorker, type WorkerConnection, openModels } from './connect-worker.ts';
export { installRuntime, type RuntimeSettings, openTracing } from './open-tracing.ts';
export { openReceipts } from './open-receipts.ts';
export { openConversations } from './open-conversations.ts';
export { watchInbox, type InboxWatch } from './watch-inbox.ts';
