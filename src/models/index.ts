export { openAIClient } from './client.ts';
export { journaled } from './journal.ts';
export { paidBy, readReply } from './judge.ts';
export {
  isLanguageModel,
  languageModelClient,
  type LanguageModel,
  type LanguageModelOptions,
} from './language-model.ts';
export type * from './model-client.ts';
export { MODEL_ERROR_KINDS, ModelError, type ModelErrorKind, type ModelErrorOptions } from './model-error.ts';
export {
  isAddress,
  PRICE,
  SECRET_NAME,
  serverFields,
  timeoutShape,
  type OpenAISettings,
  type WireValue,
  costOf,
  type Price,
  type Prices,
} from './settings.ts';
export { EFFORT } from './request.ts';
export { scriptedClient, type ScriptedClient, type ScriptedLine, type ScriptedReply } from './scripted-client.ts';
export { createSecret } from './secret.ts';
export { isUnsent } from './server-failure.ts';
