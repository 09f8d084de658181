/** A demo: a project, and the story that is told about a run of its plan. */

import type { Output } from '../cli/terminal/index.ts';
import type { DemoProject, ModelServer } from './demo-project.ts';
import type { Stage } from './stage.ts';
import type { DemoWorker } from './worker.ts';

export interface Demo extends DemoProject {
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
  /** The person at the terminal. */
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
