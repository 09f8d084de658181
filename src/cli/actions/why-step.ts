/** `planwright why RUN step_3`: who decided a step of a loop, by which stages, and everything that happened until it ended. */

import type { LoopView, RoundRecord, TraceEntry } from '../../wire/contract/index.ts';
import type { RunSession } from '../../edge/project/index.ts';
import { CliError } from '../cli-error.ts';
import type { Output } from '../terminal/index.ts';
import { entryTable, roundLines } from '../showing/index.ts';

export interface StepReasons {
  readonly round: RoundRecord;
  /** How it ended; absent while it is open, and of the last round. */
  readonly ended?: NonNullable<RoundRecord['happened']>;
  readonly entries: readonly TraceEntry[];
}

export async function reasonsForStep({ run }: RunSession, round: number, { notes }: LoopView): Promise<StepReasons> {
  // From the newest back to this one; how it ended stands in the record of the next.
  const rounds = notes === undefined ? [] : await run.rounds({ notes, from: round });
  const record = rounds.find((one) => one.round === round);
  if (record === undefined) {
    const [newest] = notes === undefined ? [] : await run.rounds({ notes, last: 1 });
    const told = newest === undefined ? 'it has decided none' : `it has decided ${newest.round}`;
    throw new CliError('REFUSED', `run ${run.workflowId} has no step_${round}; ${told}`);
  }
  const ended = rounds.find(({ happened }) => happened?.round === round)?.happened;
  const entries: TraceEntry[] = [];
  let isOpen = false;
  for await (const entry of run.trace()) {
    if (entry.what === 'compiled') isOpen = entry.text.startsWith(`step_${round}:`);
    if (isOpen) entries.push(entry);
    if (entry.text.startsWith(`step_${round} ended:`)) isOpen = false;
  }
  return { round: record, ...(ended !== undefined && { ended }), entries };
}

export function stepText({ round, ended, entries }: StepReasons, output: Pick<Output, 'columns'>): string {
  const end =
    ended === undefined ? [] : [`ended: ${ended.status}${ended.message === undefined ? '' : `, ${ended.message}`}`];
  const happened = entries.length === 0 ? [] : ['', entryTable(entries, output)];
  return [roundLines([round]), ...end, ...happened].join('\n');
}
