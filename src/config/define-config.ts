/** The configuration of a project: what its tasks can do, and where its results live. */

import type { Capability } from '../capabilities/index.ts';

export interface PlanwrightConfig {
  readonly capabilities: readonly Capability[];
  readonly tasks?: {
    /** The capability that carries out a task which names neither a capability nor an agent. */
    readonly default?: string;
  };
  readonly results?: {
    /** Folder of the result store, relative to the config file. Default `.planwright/results` beside it. */
    readonly dir?: string;
  };
  /** Default `planwright`. */
  readonly taskQueue?: string;
}

/** Gives a config file its types: `export default defineConfig({ ... })`. */
export function defineConfig(config: PlanwrightConfig): PlanwrightConfig {
  return config;
}
