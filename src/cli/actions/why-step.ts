/** `planwright why RUN step_3`: who decided a step of a loop, by which stages, and everything that happened until it ended. */

import type { RoundRecord, TraceEntry } from '../../contract/index.ts';
import type { RunSession } from '../../project/index.ts';
import { CliError } from '../cli-error.ts';
import type { Output } from '../../terminal/index.ts';
import { entryTable, roundLines } from '../showing/index.ts';

export interface StepReasons {
  readonly round: RoundRecord;
  /** How it ended; absent while it is open, and of the last round. */
  readonly ended?: NonNullable<RoundRecord['happened']>;
  readonly entries: readonly TraceEntry[];
}

export async function reasonsForStep({ run }: RunSession, round: number): Promise<StepReasons> {
  const rounds = await run.rounds();
  const record = rounds.find((one) => one.round === round);
  if (record === undefined) {
    const told = rounds.length === 0 ? 'it has decided none' : `it has decided ${rounds.length}`;
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
