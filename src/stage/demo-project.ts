/** A demo without its story: a project with a plan. */

import type { PlanwrightConfig } from '../config/index.ts';

export interface DemoProject {
  readonly name: string;
  /** What the demo shows, in a sentence or two. */
  readonly question: string;
  readonly planFile: string;
  /** The config of whoever uses the demo as a project. */
  readonly config: PlanwrightConfig;
  /**
   * The config of the demo's own workers. `paceMs`: pause before each task, in milliseconds. `stateFile`: what the demo
   * keeps beside its results, where it keeps anything.
   */
  createConfig(options: { readonly paceMs: number; readonly stateFile: string }): PlanwrightConfig;
}
