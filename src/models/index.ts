/**
 * The door of `planner/model`: models as clients, the errors and costs of calls, and the journal in which replies are
 * kept.
 */

export { lineOf, type CallLine } from './call-line.ts';
export { journaled, type JournalPlace } from './journal.ts';
export type * from './model-client.ts';
export { MODEL_ERROR_KINDS, ModelError, type ModelErrorKind, type ModelErrorOptions } from './model-error.ts';
export { EFFORT } from './check-request.ts';
export { openAIClient } from './openai-client.ts';
export { paidBy, readReply } from './pieces.ts';
export { costOf, type Price, type Prices } from './prices.ts';
export { scriptedClient, type ScriptedClient, type ScriptedLine, type ScriptedReply } from './scripted-client.ts';
export { MAX_IDLE_MS, MAX_REPLY_BYTES, type OpenAISettings } from './settings.ts';
export { createSecret } from './secret.ts';
export { SECRET_NAME, wireProblem, type WireValue } from './wire-settings.ts';
