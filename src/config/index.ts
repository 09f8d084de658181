/** `planwright.config.ts`: how it is written, found, read and checked. */

export { configSource, identitySource, type FirstModel, type PersonKey } from './config-source.ts';
export { defineConfig, type PlannerConfig, type PlanwrightConfig } from './define-config.ts';
export { ConfigError } from './import-config.ts';
export { checkConfig, findConfig, loadConfig, mayEncrypt, type LoadedConfig } from './load-config.ts';
export { withMcpSecrets } from './read-mcp.ts';
export { storeOf } from './read-store.ts';
export { modelKey, withSecrets } from './model-key.ts';
export { encryptionKeys, type Encryption, type ReadKeys } from './read-encryption.ts';
export { modelSettingsProblem } from './read-models.ts';
export {
  isModelClient,
  modelSettings,
  type ChosenModel,
  type ModelLayer,
  type ModelPrice,
  type ModelSettings,
  type ServerSettings,
} from './model-settings.ts';
