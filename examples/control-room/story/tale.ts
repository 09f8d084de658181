/** The things that every beat of the story has at hand. */

import type { CompiledPlan } from 'planwright';
import type { RunHandle } from 'planwright/client';
import { StoryError, type Proposed, type Screen, type Stage } from '../../stage/index.ts';
import { wrap } from '../../words.ts';
import type { DeviceRoom } from '../device-room.ts';
import { openRoom } from '../room.ts';
import { createSay, type Say } from './people.ts';
import { createRunView, type RunView } from './run-view.ts';

export interface Teller {
  /** Begins a beat: numbers it and gives its title. */
  beat(title: string): void;
  /** Says a sentence of the teller. */
  tell(text: string): void;
}

export interface Tale extends Teller {
  readonly stage: Stage;
  readonly plan: CompiledPlan;
  readonly run: RunHandle;
  readonly view: RunView;
  readonly say: Say;
  /** The room itself, as a person sees it who goes there. */
  readonly room: DeviceRoom;
  /** The node of a step, by its context key. */
  nodeId(step: string): string;
}

export function createTale(stage: Stage, { run, plan }: Proposed): Tale {
  return {
    ...createTeller(stage.screen),
    stage,
    plan,
    run,
    view: createRunView(stage, run, plan),
    say: createSay(run, stage),
    room: openRoom(stage.stateFile),
    nodeId(step) {
      const task = plan.tasks.find(({ contextKey }) => contextKey === step);
      if (task === undefined) throw new RangeError(`the plan has no step ${step}`);
      return task.id;
    },
  };
}

export function createTeller(screen: Screen): Teller {
  const { paint } = screen;
  let beats = 0;
  return {
    beat(title) {
      beats += 1;
      screen.say('', `${paint('cyan', String(beats).padStart(2))}  ${paint('bold', title)}`);
    },
    tell: (text) => screen.say(...wrap(text, screen.width - 4).map((part) => `    ${part}`)),
  };
}

/** Ends the story where the run is not as it must be. */
export function must(isSo: boolean, what: string): void {
  if (!isSo) throw new StoryError('failed', `the story needs this to be so, and it is not: ${what}`);
}
