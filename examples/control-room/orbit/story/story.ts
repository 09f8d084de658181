/**
 * An operator asks in words, a scripted model decides one step after the other, and whatever it would write waits for a person.
 * The words of people and model are written down beforehand; the answers of the run and the devices are not.
 */

import type { Scene, StoryEnd } from '../../../stage/index.ts';
import { wrap } from '../../../words.ts';
import { createTeller } from '../../story/tale.ts';
import { SAFE } from '../capabilities.ts';
import { openCorrectors } from '../corrector-room.ts';
import { orbitApproval } from '../orbit-config.ts';
import {
  armingIsAWrite,
  deviceHasItsOwnWord,
  killWaitsForNobody,
  limitsComeFirst,
  rejectionIsObserved,
  safetyWaitsForNobody,
  workerDiesInTheWrite,
  type OrbitTale,
} from './beats.ts';
import { showOrbit } from './show-orbit.ts';

const QUESTION =
  'A model is given the controls of two correctors. What can it write that nobody has approved, and what becomes of a write ' +
  'whose worker dies?';
const LABEL =
  'The model and the people are scripted, the devices are simulated; what the run and the devices answer is neither.';

/** Ends as done when every card was as it must be, and whatever was approved was written at most once. */
export async function tellOrbit({ stage, worker: first, options, output }: Scene): Promise<StoryEnd> {
  const { screen, stateFile } = stage;
  const { paint, width } = screen;
  const indented = (text: string) => wrap(text, width - 2).map((part) => `  ${part}`);
  const began = Date.now();
  const asking = orbitApproval().rules.map(({ capability }) => capability);
  const rules = `${asking.join(' and ')} need somebody of the role operator; ${SAFE} waits for nobody`;
  screen.say('', paint('bold', 'Question'), ...indented(QUESTION));
  screen.say('', paint('bold', 'Rules'), ...indented(rules));
  screen.say('', ...wrap(LABEL, width).map((part) => paint('dim', part)));

  const tale: OrbitTale = { ...createTeller(screen), stage, room: openCorrectors(stateFile), said: [] };
  const asked = await limitsComeFirst(tale);
  await rejectionIsObserved(tale, asked);
  await deviceHasItsOwnWord(tale, asked);
  await armingIsAWrite(tale, asked);
  const { worker, kill, end } = await workerDiesInTheWrite(tale, asked, first, options.kill);
  const killed = await killWaitsForNobody(tale);
  const safe = await safetyWaitsForNobody(tale);

  const seconds = (Date.now() - began) / 1000;
  const told = { tale, run: asked.run, end, kill, killed, safe, output, seconds, stays: options.keep };
  return { ended: await showOrbit(told), worker, stays: false };
}
