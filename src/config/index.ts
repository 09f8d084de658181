export { defineConfig, type PlanwrightConfig } from './define-config.ts';
export {
  checkConfig,
  ConfigError,
  CONFIG_FILES,
  findConfig,
  loadConfig,
  storeDir,
  type LoadedConfig,
} from './load-config.ts';
