/** `planwright.config.ts`: how it is written, found, read and checked. */

export { configSource, identitySource, type FirstModel, type PersonKey } from './config-source.ts';
export { encryptionKeys, modelKey, storeOf, withMcpSecrets, withSecrets, type ReadKeys } from './environment.ts';
export { ConfigError } from './import-config.ts';
export { checkConfig, findConfig, loadConfig, mayEncrypt, type LoadedConfig } from './load-config.ts';
export {
  isModelClient,
  modelSettingsProblem,
  type ModelLayer,
  type ModelPrice,
  type ModelSettings,
  type PlannerConfig,
} from './model-schema.ts';
export { modelSettings, type ChosenModel, type ServerSettings } from './model-settings.ts';
export { defineConfig, type Encryption, type PlanwrightConfig } from './schema.ts';
