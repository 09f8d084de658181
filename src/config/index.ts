export { configSource, identitySource, type FirstModel, type PersonKey } from './config-source.ts';
export {
  encryptionKeys,
  modelKey,
  storeOf,
  withMcpSecrets,
  withSecrets,
  type ReadKeys,
  checkConfig,
  loadConfig,
  mayEncrypt,
  type LoadedConfig,
} from './load-config.ts';
export { ConfigError, findConfig } from './import-config.ts';
export {
  clientIn,
  isModelClient,
  modelSettings,
  modelSettingsProblem,
  type ChosenModel,
  type ModelLayer,
  type ModelPrice,
  type ModelSettings,
  type PlannerConfig,
  type ServerSettings,
} from './model-schema.ts';
export { defineConfig, type Encryption, type PlanwrightConfig } from './schema.ts';
