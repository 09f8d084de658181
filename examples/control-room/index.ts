/** An operator's run whose steps write to hardware: a double of it, that counts every write. See README.md. */

import { fileURLToPath } from 'node:url';
import { defineConfig, type PlanwrightConfig } from 'planwright';
import type { Demo } from '../stage/index.ts';
import { paced } from '../stage/paced.ts';
import { roomCapabilities } from './capabilities.ts';
import { createOrbitConfig } from './orbit/orbit-config.ts';
import { openRoom } from './room.ts';

interface ControlRoomOptions {
  /** Pause before each task, in milliseconds, for the eye. Default 0. */
  readonly paceMs?: number;
  /** The file that the device room is. Default `.planwright/control-room.jsonl` in the current folder. */
  readonly stateFile?: string;
  /** The file of the calls of the scripted model. Default nowhere. */
  readonly modelFile?: string;
  /** The story decides one step after the other. */
  readonly reactive?: true;
}

export const demo: Demo = {
  name: 'control-room',
  question:
    'Three people run a plan that reads monitors, asks for an offset, writes two set points and fires a shutter. ' +
    'Who must say what before anything is written, and is each thing written exactly once?',
  planFile: fileURLToPath(new URL('./plan.json', import.meta.url)),
  config: createConfig(),
  createConfig,
  async loadStory() {
    const [{ tellControlRoom }, { tellOrbit }] = await Promise.all([
      import('./story/story.ts'),
      import('./orbit/story/story.ts'),
    ]);
    return (scene) => (scene.options.reactive === true ? tellOrbit(scene) : tellControlRoom(scene));
  },
};

/** The configuration of a worker for this demo. */
export function createConfig(options: ControlRoomOptions = {}): PlanwrightConfig {
  if (options.reactive === true) return createOrbitConfig(options);
  const { paceMs = 0, stateFile } = options;
  const capabilities = roomCapabilities(openRoom(stateFile)).map((capability) => paced(capability, paceMs));
  return defineConfig({ capabilities });
}
