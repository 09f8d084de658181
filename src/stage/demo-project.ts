/** A demo without its story: a project with a plan. */

import type { PlanwrightConfig } from '../edge/config/index.ts';

/** A model of a server that speaks chat completions; `baseURL` with its `/v1`. */
export interface ModelServer {
  readonly baseURL: string;
  readonly name: string;
}

export interface DemoConfigOptions {
  /** Pause before each task, in milliseconds. */
  readonly paceMs: number;
  /** What the demo keeps beside its results, where it keeps anything. */
  readonly stateFile: string;
  /** Where the calls of its model are written down, where it asks any. */
  readonly modelFile: string;
  /** The model to ask in the place of the scripted one. */
  readonly model?: ModelServer;
  /** Of the story that decides one step after the other, where the demo has one. */
  readonly reactive?: true;
}

export interface DemoProject {
  readonly name: string;
  /** What the demo shows, in a sentence or two. */
  readonly question: string;
  readonly planFile: string;
  /** The config of whoever uses the demo as a project. */
  readonly config: PlanwrightConfig;
  /** The config of the demo's own workers. */
  createConfig(options: DemoConfigOptions): PlanwrightConfig;
}
