/**
 * A run, written down. The parts that can be reckoned from it (what may start, what is covered, what each node waits
 * for) are not written; the slice of the open plan travels beside it. The same run gives the same text, also after it
 * was resumed.
 */

import { given, type Arrival, type Resume, type RunSlice } from '../../protocol/index.ts';
import { arrive, type Stored } from './arrive.ts';
import { uncoveredOf } from '../approval/coverage.ts';
import type { Approval } from '../approval/state.ts';
import type { Dialogue } from './dialogue.ts';
import { executionOf, type Execution } from './execution.ts';
import { factsOf, type NodeFacts } from './node-facts.ts';
import { decodePlain, encodePlain } from './plain.ts';
import { gateOf, openRun, type Run } from './run.ts';
import type { Verify } from './talk/authenticate.ts';
import { withStored } from './trace.ts';

/** Raised by the first change of the form after a release. A worker reads its own version and those before. */
export const SNAPSHOT_VERSION: Resume['version'] = 1;

interface Snapshot extends Pick<Run, 'work' | 'begun'> {
  readonly dialogue: Omit<Dialogue, 'approval'> & { readonly approval: Omit<Approval, 'gate' | 'uncovered'> };
  readonly execution?: NodeFacts & Pick<Execution, 'pages'>;
}

/** @param stored does not stand in the text itself */
export function snapshotOf(run: Run, { trace, slice: pages }: Stored = { trace: [] }): string {
  const { dialogue, execution, work, begun } = run;
  const { gate: _, uncovered: __, ...approval } = dialogue.approval;
  const snapshot: Snapshot = {
    dialogue: { ...dialogue, approval, trace: withStored(dialogue.trace, trace) },
    ...(execution && { execution: { ...factsOf(execution), ...given({ pages: pages ?? execution.pages }) } }),
    work,
    begun,
  };
  return JSON.stringify(encodePlain(snapshot));
}

/**
 * @param slice of the open plan; undefined when the run had none
 * @param late arrived when the text was written already
 * @throws Error when the text is no snapshot of a run with this slice
 */
export function resumeRun(
  workflowId: string,
  text: string,
  slice: RunSlice | undefined,
  late: readonly Arrival[] = [],
): Run {
  const snapshot = decodePlain(JSON.parse(text)) as Snapshot;
  const { dialogue, execution: written, work, begun } = snapshot;
  if ((written === undefined) !== (slice === undefined))
    throw new TypeError('the snapshot and its plan do not belong together');
  const run: Run = {
    ...openRun(workflowId, dialogue.startedAt),
    dialogue: { ...dialogue, approval: readApproval(dialogue, slice) },
    execution: written && slice && readExecution(written, slice, dialogue),
    work,
    begun,
  };
  for (const arrival of late) arrive(run, arrival, UNPROVED);
  for (const { update, id } of messagesOf(run)) if (update !== undefined) run.unanswered.set(update, id);
  return run;
}

/** A late message is not verified before a turn looks at it. */
const UNPROVED: Verify = () => ({ ok: false, reason: 'it is looked at with the next turn' });

function readExecution(
  { pages, ...written }: NonNullable<Snapshot['execution']>,
  slice: RunSlice,
  { options }: Snapshot['dialogue'],
): Execution {
  if (written.status.length !== slice.inputs.length) throw new TypeError('the snapshot is of a plan with other nodes');
  const { handles, scheduledAt, endedAt } = written;
  const lists = { handles: read(handles), scheduledAt: read(scheduledAt), endedAt: read(endedAt) };
  return { ...executionOf(slice, options.concurrency, { ...written, ...lists }), ...given({ pages }) };
}

/** JSON has null where a list has nothing. */
function read<One>(list: readonly (One | undefined)[]): (One | undefined)[] {
  return list.map((one) => one ?? undefined);
}

function readApproval(dialogue: Snapshot['dialogue'], slice: RunSlice | undefined): Approval {
  const { approval } = dialogue;
  if (slice === undefined) return { ...approval, gate: undefined, uncovered: [] };
  const gate = gateOf(dialogue, slice);
  const nodes = slice.inputs.map((_, node) => node);
  return { ...approval, gate, uncovered: uncoveredOf(gate, approval.consents, nodes) };
}

/** Every message that was not replied to. */
function* messagesOf({ dialogue, work }: Run) {
  yield* dialogue.mailbox;
  for (const queued of dialogue.queue) if (queued.for === 'message') yield queued.message;
  for (const one of work.values()) if (one.kind === 'message') yield one.message;
}
