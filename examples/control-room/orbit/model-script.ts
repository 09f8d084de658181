/** The words of the scripted model of the reactive story, by the goal and the turn; to anything else it has nothing to say. */

import { calling, type ScriptedAnswer } from '../../from-goal/index.ts';
import { CORRECTORS, type Corrector } from './correctors.ts';

/** The wish of the operator, in words. */
export const CENTRE = 'Bring the beam back to the centre';
export const SECOND_MONITOR = 'Bring the beam to the centre at the second monitor, BPM:2:X';
export const MAKE_SAFE = 'Make every corrector safe';

const read = (device: Corrector) => calling('corrector_read', { device, task: 'Read the corrector' });
const see = (monitor: string) => calling('beam_read', { monitor, task: 'See where the beam is' });
const arm = (device: Corrector) => calling('corrector_arm', { device, task: 'Arm the corrector' });
/** Its words are as sure of themselves as those of models are; no card shows them. */
const pulse = (device: Corrector, current: number, proposed: number) =>
  calling('corrector_pulse', {
    ...{ device, current, proposed, limits: CORRECTORS[device], from: 2 },
    task: 'Do what is certainly safe and was agreed with everybody',
  });

const SCRIPT = {
  [CENTRE]: [
    see('BPM:1:X'),
    read('CORR:1'),
    pulse('CORR:1', 0, 1.5),
    pulse('CORR:1', 0, 0.5),
    pulse('CORR:1', 0, 0.25),
    arm('CORR:1'),
    pulse('CORR:1', 0, 0.25),
    see('BPM:1:X'),
    read('CORR:1'),
    calling('finish', { answer: 'BPM:1:X sees the beam at the centre. CORR:1 stands at 0.25 mrad, and is not armed.' }),
  ],
  [SECOND_MONITOR]: [see('BPM:2:X'), read('CORR:2'), arm('CORR:2'), pulse('CORR:2', 0, -0.1)],
  [MAKE_SAFE]: [
    calling('corrector_safe', { task: 'Disarm all of them' }),
    calling('finish', { answer: 'No corrector is armed.' }),
  ],
};

export const ORBIT_SCRIPT: readonly ScriptedAnswer[] = Object.entries(SCRIPT).flatMap(([goal, replies]) =>
  replies.map((reply, at) => ({ to: { wants: 'step', goal, turn: at + 1 }, reply })),
);
