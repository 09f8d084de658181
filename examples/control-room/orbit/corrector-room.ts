/** A double of the correctors: no hardware, one file, to which every request is appended before anything else happens. */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { requestFile } from '../request-file.ts';
import {
  playCorrectors,
  type CorrectorEntry,
  type CorrectorRequest,
  type CorrectorState,
  type Deed,
} from './corrector-rules.ts';

export interface CorrectorRoom {
  readonly file: string;
  send(deed: Deed, key: string): CorrectorEntry;
  /** Everything that arrived so far, and where it left the correctors. */
  look(): CorrectorState;
}

export function openCorrectors(file = resolve('.planwright/orbit.jsonl')): CorrectorRoom {
  const sent = requestFile<object, CorrectorRequest>(file, { correctors: 'simulated, no hardware' });
  return {
    file,
    send(deed, key) {
      const id = randomUUID();
      sent.append({ id, at: new Date().toISOString(), pid: process.pid, key, ...deed });
      const entry = look().entries.find((one) => one.id === id);
      if (entry === undefined) throw new Error(`${file} has lost what was appended to it`);
      return entry;
    },
    look,
  };

  function look(): CorrectorState {
    return playCorrectors(sent.read().requests);
  }
}
