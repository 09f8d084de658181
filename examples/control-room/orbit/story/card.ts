/**
 * The card that a person sees before they approve a step: read from the compiled plan, by whose digest the step is approved, and from
 * what the device declares. No word of a model is in it, not even what it says the step is for.
 */

import type { TaskNode } from 'planwright';
import { pulseInput } from '../capabilities.ts';
import { CORRECTORS, limitsInWords } from '../correctors.ts';
import type { Deed } from '../corrector-rules.ts';

export interface Card {
  readonly step: string;
  /** The write that an approval allows. */
  readonly deed: Exclude<Deed, { does: 'safe' }>;
  /** Name and text, in the order in which they are shown. */
  readonly rows: readonly (readonly [name: string, text: string])[];
}

type PlannedStep = Pick<TaskNode, 'contextKey' | 'capability' | 'arguments' | 'externalInputs'>;

/** @throws RangeError for a step that is no write to a corrector: nobody is to approve what no card shows. */
export function cardOf({ contextKey: step = '', capability, arguments: args, externalInputs = [] }: PlannedStep): Card {
  if (capability === 'corrector.arm') {
    const { device } = args as { readonly device: string };
    return {
      ...{ step, deed: { does: 'arm', device } },
      rows: [
        ['device', `${device} (simulated)`],
        ['change', 'not armed -> armed, for one pulse'],
      ],
    };
  }
  if (capability !== 'corrector.pulse') throw new RangeError(`there is no card for ${capability ?? 'such a step'}`);
  const { device, current, proposed, from } = pulseInput.parse(args);
  const { unit } = CORRECTORS[device];
  const beside = externalInputs.filter((one) => one !== from);
  return {
    ...{ step, deed: { does: 'pulse', device, current, proposed } },
    rows: [
      ['device', `${device} (simulated)`],
      ['change', `${current} ${unit} -> ${proposed} ${unit}`],
      ['limits', limitsInWords(CORRECTORS[device])],
      ['from', `the reading of ${from}${beside.length === 0 ? '' : `; its step is given ${beside.join(', ')} too`}`],
    ],
  };
}
