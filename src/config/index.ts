/** `planwright.config.ts`: how it is written, found, read and checked. */

export { configSource, identitySource, type PersonKey } from './config-source.ts';
export { defineConfig, type ConfiguredKey, type PlanwrightConfig } from './define-config.ts';
export {
  checkConfig,
  ConfigError,
  CONFIG_FILES,
  findConfig,
  loadConfig,
  storeDir,
  type LoadedConfig,
} from './load-config.ts';
