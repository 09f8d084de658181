/** A demo as it is told: from the moment at which a server and a worker are there to its last word. */

import type { Output } from '../output.ts';
import type { DemoWorker } from './demo-worker.ts';
import type { Stage } from './stage.ts';

export interface DemoOptions {
  /** Approves in advance, and stops everything at once at the end. */
  readonly yes?: boolean;
  /** Leaves the server and the worker running. */
  readonly keep?: boolean;
  /** Pause before each task, in milliseconds. */
  readonly pace: number;
  /** Whether a worker is killed in mid-run. */
  readonly kill: boolean;
}

export interface Scene {
  readonly stage: Stage;
  /** The one that is there at the beginning. */
  readonly worker: DemoWorker;
  readonly options: DemoOptions;
  readonly output: Output;
}

export interface StoryEnd {
  /** 0 when everything went as it must. */
  readonly code: number;
  /** The one that is there at the end; absent where nothing was run that one could go on with. */
  readonly worker?: DemoWorker;
  /** Server and worker stay until a key is pressed. */
  readonly stays: boolean;
}

export type Story = (scene: Scene) => Promise<StoryEnd>;

/** @throws RangeError for a name that has none. */
export async function loadStory(name: string): Promise<Story> {
  switch (name) {
    case 'gene-strategies':
      return (await import('./gene-strategies/story.ts')).tellGeneStrategies;
    case 'control-room':
      return (await import('./control-room/story.ts')).tellControlRoom;
    default:
      throw new RangeError(`the demo "${name}" has no story`);
  }
}
