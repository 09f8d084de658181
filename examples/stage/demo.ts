/** A demo: a project with a plan, and the story that is told about a run of it. */

import type { PlanwrightConfig } from 'planwright';
import { createRegistry, type CapabilityRegistry } from 'planwright/capabilities';
import type { Output } from './backstage.ts';
import type { Stage } from './stage.ts';
import type { DemoWorker } from './worker.ts';

/** A model of a server that speaks chat completions; `baseURL` with its `/v1`. */
export interface ModelServer {
  readonly baseURL: string;
  readonly name: string;
}

export interface DemoConfigOptions {
  /** Pause before each task, in milliseconds. */
  readonly paceMs: number;
  /** The file that the demo keeps beside its results, where it keeps one. */
  readonly stateFile: string;
  /** The file of the calls of its model, where it asks one. */
  readonly modelFile: string;
  /** The model to ask in the place of the scripted one. */
  readonly model?: ModelServer;
  /** The story decides one step after the other, where the demo has such a one. */
  readonly reactive?: true;
}

export interface Demo {
  readonly name: string;
  /** The question of the demo, in a sentence or two. */
  readonly question: string;
  readonly planFile: string;
  /** The config of whoever uses the demo as a project. */
  readonly config: PlanwrightConfig;
  /** The config of the demo's own workers. */
  createConfig(options: DemoConfigOptions): PlanwrightConfig;
  /** Loaded when it is told: a worker of the demo needs none of it. */
  loadStory(): Promise<Story>;
}

/** From the moment at which a server and a worker are there to the last word. */
export type Story = (scene: Scene) => Promise<StoryEnd>;

export interface Scene {
  readonly stage: Stage;
  /** The one that is there at the beginning. */
  readonly worker: DemoWorker;
  readonly options: TellOptions;
  readonly output: Output;
}

export interface TellOptions {
  /** Approves in advance, and stops everything at once at the end. */
  readonly yes: boolean;
  /** Leaves the server and the worker running. */
  readonly keep: boolean;
  /** Pause before each task, in milliseconds. */
  readonly paceMs: number;
  /** Whether a worker is killed in mid-run. */
  readonly kill: boolean;
  /** Begins with the goal alone, which a planner makes a plan of. */
  readonly fromGoal: boolean;
  /** Begins with words, and decides one step after the other. */
  readonly reactive?: true;
  /** The model to ask in the place of the scripted one. */
  readonly model?: ModelServer;
  /** The role that decides, as the run records it. */
  readonly by: string;
}

export interface StoryEnd {
  /** `done` when everything went as it must, `rejected` when the person at the terminal said no. */
  readonly ended: 'done' | 'badOutcome' | 'rejected';
  /** The one that is there at the end; absent where nothing was run that one could go on with. */
  readonly worker?: DemoWorker;
  /** Server and worker stay until a key is pressed. */
  readonly stays: boolean;
}

/** The executors of a config, as a worker and a client take them. */
export function registryOf({ capabilities = [], agents = [], tasks }: PlanwrightConfig): CapabilityRegistry {
  return createRegistry(capabilities, {
    agents,
    ...(tasks?.default !== undefined && { defaultExecutor: tasks.default }),
  });
}
