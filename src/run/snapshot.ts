/**
 * A run, written down. What can be reckoned from it (what may start, what is covered, what each node waits for) is not
 * written; the slice of the open plan travels beside it. The same run gives the same text, also after it was resumed.
 */

import { NODE_STATUSES, type Resume, type ResultHandle, type ResultKind, type RunSlice } from '../contract/index.ts';
import { uncoveredOf, type Approval } from './approval/index.ts';
import type { Dialogue } from './dialogue.ts';
import type { Execution } from './execution.ts';
import { reopenProgress, type Progress } from './nodes/index.ts';
import { decodePlain, encodePlain } from './plain.ts';
import { lanesOf } from './resources.ts';
import { gateOf, openRun, type Run } from './run.ts';
import type { Work } from './work.ts';

/** Raised whenever the form changes. A worker reads its own version and those before. */
export const SNAPSHOT_VERSION: Resume['version'] = 1;

interface Snapshot {
  readonly dialogue: Omit<Dialogue, 'approval'> & { readonly approval: Omit<Approval, 'gate' | 'uncovered'> };
  readonly execution?: WrittenExecution;
  readonly work: readonly (readonly [number, Work])[];
  readonly begun: number;
}

interface WrittenExecution extends Pick<Execution, 'retries' | 'repeatedBy' | 'heldBack' | 'settling' | 'pages'> {
  readonly progress: Pick<Progress, 'failures' | 'causes' | 'unsettled'>;
  /** A letter for each node: its place among the statuses. */
  readonly status: string;
  readonly handles: readonly (WrittenHandle | 0)[];
  /** Milliseconds since the run began; -1 where there is none. */
  readonly scheduledAt: readonly number[];
  readonly endedAt: readonly number[];
}

type WrittenHandle = readonly [ref: string, kind: ResultKind, count: number, bytes: number];

export function snapshotOf(run: Run): string {
  const { dialogue, execution, work, begun } = run;
  const { gate: _, uncovered: __, ...approval } = dialogue.approval;
  const snapshot: Snapshot = {
    dialogue: { ...dialogue, approval },
    ...(execution !== undefined && { execution: writeExecution(execution, Date.parse(dialogue.startedAt)) }),
    work: [...work],
    begun,
  };
  return JSON.stringify(encodePlain(snapshot));
}

/**
 * @param slice of the open plan; undefined when the run had none
 * @throws Error when the text is no snapshot of a run with this slice
 */
export function resumeRun(workflowId: string, text: string, slice: RunSlice | undefined): Run {
  const snapshot = decodePlain(JSON.parse(text)) as Snapshot;
  const { dialogue, execution: written, work, begun } = snapshot;
  const run = openRun(workflowId, dialogue.startedAt);
  if ((written === undefined) !== (slice === undefined))
    throw new TypeError('the snapshot and its plan do not belong together');
  if (written !== undefined && slice !== undefined) {
    if (written.status.length !== slice.inputs.length)
      throw new TypeError('the snapshot is of a plan with other nodes');
    run.execution = readExecution(written, slice, dialogue);
  }
  // One that was written before there was a planner says nothing of it.
  run.dialogue = { ...run.dialogue, ...dialogue, approval: readApproval(dialogue, slice) };
  for (const [id, one] of work) run.work.set(id, one);
  run.begun = begun;
  for (const { update, id } of messagesOf(run)) if (update !== undefined) run.carried.set(update, id);
  return run;
}

function writeExecution(execution: Execution, startedAt: number): WrittenExecution {
  const { progress, retries, repeatedBy, heldBack, settling, pages, scheduledAt, endedAt } = execution;
  const { failures, causes, unsettled, status, handles } = progress;
  const since = (times: Execution['endedAt']) => status.map((_, node) => (times[node] ?? startedAt - 1) - startedAt);
  return {
    progress: { failures, causes, unsettled },
    retries,
    repeatedBy,
    heldBack,
    settling,
    ...(pages !== undefined && { pages }),
    status: status.map((one) => letterOf(NODE_STATUSES.indexOf(one))).join(''),
    handles: handles.map((handle) =>
      handle === undefined ? 0 : [handle.ref, handle.kind, handle.count, handle.bytes],
    ),
    scheduledAt: since(scheduledAt),
    endedAt: since(endedAt),
  };
}

function readExecution(
  written: WrittenExecution,
  slice: RunSlice,
  { options, startedAt }: Snapshot['dialogue'],
): Execution {
  // One that was written before there were these has none.
  const { retries, repeatedBy = new Map(), heldBack = new Map(), settling, pages } = written;
  const status = Array.from(written.status, (letter) => NODE_STATUSES[placeOf(letter)] ?? 'pending');
  const handles = written.handles.map((one) => (one === 0 ? undefined : readHandle(one)));
  const start = Date.parse(startedAt);
  const times = (since: readonly number[]) => since.map((ms) => (ms < 0 ? undefined : start + ms));
  return {
    slice,
    ...(pages !== undefined && { pages }),
    progress: reopenProgress(slice.inputs, options.concurrency, slice.after, { ...written.progress, status, handles }),
    lanes: lanesOf(slice),
    retries,
    repeatedBy,
    heldBack,
    settling,
    scheduledAt: times(written.scheduledAt),
    endedAt: times(written.endedAt),
  };
}

function readHandle([ref, kind, count, bytes]: WrittenHandle): ResultHandle {
  return { ref, kind, count, bytes };
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
  for (const errand of dialogue.queue) if (errand.for === 'message') yield errand.message;
  for (const one of work.values()) if (one.kind === 'message') yield one.message;
}

const FIRST_LETTER = 97;

function letterOf(place: number): string {
  return String.fromCharCode(FIRST_LETTER + place);
}

function placeOf(letter: string): number {
  return letter.charCodeAt(0) - FIRST_LETTER;
}
