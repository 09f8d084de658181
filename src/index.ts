/** The library: plans, operators and configuration. Runs are under `planwright/client`, workers under `planwright/worker`. */
export * from './algebra/index.ts';
export { defineConfig, type PlanwrightConfig } from './config/index.ts';
export * from './plan/index.ts';
export { readYesNo } from './run/index.ts';
