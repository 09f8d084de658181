/** `planwright.config.ts`: how it is written, found, read and checked. */

export { configSource, identitySource, type PersonKey } from './config-source.ts';
export { defineConfig, type PlanwrightConfig } from './define-config.ts';
export { checkConfig, ConfigError, findConfig, loadConfig, storeDir, type LoadedConfig } from './load-config.ts';
