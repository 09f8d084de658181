import { clockText, counted } from '../../plan/text/index.ts';
import { attemptText, FALLBACK_PLAN, planningLine, replannedLine, stepLine } from '../../operations/words/index.ts';
import {
  given,
  type AttemptView,
  type OpenItem,
  type PlanningView,
  type ReplannedView,
  type RunStatus,
  type RunView,
  type SeenNode,
  type TraceEntry,
} from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { nodeLines } from './words.ts';
import { openLines } from './open-items.ts';

/**
 * One change of a run: its phase, its planning, its plan, a step (of the run or of an agent), a node or its attempt, an
 * item that opens (`open`) or closes (`over`) for a person, or a note.
 */
export type Change =
  | ({ readonly change: 'phase' } & Pick<
      RunStatus,
      'phase' | 'outcome' | 'revision' | 'digest' | 'counts' | 'fallback'
    >)
  | ({ readonly change: 'planning' } & PlanningView)
  | ({ readonly change: 'replanned'; readonly digest: string } & ReplannedView)
  | { readonly change: 'edited'; readonly revision: number; readonly digest: string }
  | { readonly change: 'feedback'; readonly text: string }
  | ({ readonly change: 'step'; readonly workflowId: string; readonly node?: string } & TraceEntry)
  | ({ readonly change: 'node' } & SeenNode)
  | ({ readonly change: 'attempt' } & AttemptView)
  | { readonly change: 'note'; readonly text: string }
  | { readonly change: 'open' | 'over'; readonly key: string; readonly item: OpenItem };

export function createChanges(): (view: RunView) => readonly Change[] {
  let last: RunStatus | undefined;
  let [revision, replannings, steps, waits, trouble] = [1, 0, 0, '', ''];
  let feedback: RunView['feedback'] = [];
  const nodes = new Map<string, string>();
  const attempts = new Map<string, number>();
  let open = new Map<string, OpenItem>();
  return (view) => {
    const { status } = view;
    const found: Change[] = [];
    const before = last;
    last = status ?? last;
    const note = view.trouble?.message ?? '';
    if (note !== '' && note !== trouble) found.push({ change: 'note', text: note });
    trouble = note;
    if (note === '' && status !== undefined && status.phase !== 'closed') tellStatus(status);
    // The view has only the last lines of feedback, so earlier lines may be missing.
    for (const text of view.feedback) if (!feedback.includes(text)) found.push({ change: 'feedback', text });
    ({ feedback } = view);
    for (const { workflowId, node, entry } of view.steps.slice(steps))
      found.push({ change: 'step', ...given({ workflowId, node }), ...entry });
    steps = view.steps.length;
    if (status !== undefined && status.revision > revision) {
      const { loop, replanned, digest } = status;
      ({ revision } = status);
      // In a loop, each step has its own plan, which is reported as a step.
      if (loop === undefined && replanned?.revision !== revision) found.push({ change: 'edited', revision, digest });
      nodes.clear();
    }
    for (const node of view.nodes) {
      if (node.status === (nodes.get(node.id) ?? 'pending')) continue;
      nodes.set(node.id, node.status);
      found.push({ change: 'node', ...node });
    }
    for (const one of view.attempts) {
      if (one.attempt === (attempts.get(one.id) ?? 1)) continue;
      attempts.set(one.id, one.attempt);
      found.push({ change: 'attempt', ...one });
    }
    const waiting = new Map(view.open.map((item) => [openKey(item), item]));
    for (const [key, item] of open) if (!waiting.has(key)) found.push({ change: 'over', key, item });
    for (const [key, item] of waiting) if (!open.has(key)) found.push({ change: 'open', key, item });
    open = waiting;
    if (note === '' && status?.phase === 'closed') tellStatus(status);
    return found;

    function tellStatus(now: RunStatus): void {
      const { phase, outcome, counts, digest, fallback, planning, replanned, waits: waitsFor = '' } = now;
      if (waitsFor !== '' && waitsFor !== waits) found.push({ change: 'note', text: `it ${waitsFor}` });
      waits = waitsFor;
      if (planning !== undefined && JSON.stringify(planning) !== JSON.stringify(before?.planning))
        found.push({ change: 'planning', ...planning });
      if (replanned !== undefined && replanned.revision > replannings) {
        replannings = replanned.revision;
        found.push({ change: 'replanned', digest, ...replanned });
      }
      if (phase !== before?.phase)
        found.push(
          given({ change: 'phase' as const, phase, outcome, revision: now.revision, digest, counts, fallback }),
        );
    }
  };
}

/** Identifies an open item. If its plan or role changes, it is another item; in a new history, it is the same. */
function openKey({ workflowId, id, since, send }: OpenItem): string {
  return JSON.stringify([workflowId, id, since, send]);
}

interface Look extends Pick<Output, 'columns' | 'paint'> {
  readonly status: RunStatus | undefined;
  /** Text between the time and a node, such as the node's number. */
  readonly prefix?: string;
  readonly tells?: 'worker';
  readonly plan?: RunView['compiled'];
  readonly flags?: string;
}

const LEAST_COLUMNS = 60;

/** A change as a line, such as `14:03:07Z [3/8] ✓ node_3 MINUS ...`, and what waits for a person, with its command. */
export function changeLine(change: Change, look: Look): string {
  if (change.change === 'feedback') return `  ${look.paint('cyan', change.text)}`;
  const now = new Date().toISOString();
  const time = `${clockText(timeOf(change) ?? now, now)} `;
  if (change.change !== 'node') return time + changeText(change, look);
  const { columns, paint, prefix = '', tells, plan } = look;
  const single = columns >= LEAST_COLUMNS && columns !== Infinity;
  return nodeLines([change], { columns, paint, single, prefix: time + prefix, plan, ...given({ tells }) }).join('\n');
}

function timeOf(change: Change): string | undefined {
  if (change.change === 'node') return change.endedAt ?? change.startedAt ?? change.scheduledAt;
  return change.change === 'step' || change.change === 'attempt' ? change.at : undefined;
}

export function changeText(
  change: Exclude<Change, { change: 'node' }>,
  { paint, status, flags = '' }: Pick<Look, 'paint' | 'status' | 'flags'>,
): string {
  switch (change.change) {
    case 'phase':
      return phaseText(change, status);
    case 'planning':
      return planningLine(change);
    case 'replanned':
      return replannedLine(change, change.digest);
    case 'edited':
      return `the plan was edited: revision ${change.revision}, digest ${change.digest}`;
    case 'feedback':
      return change.text;
    case 'step':
      return stepLine({ ...change, entry: change });
    case 'attempt':
      return `${change.id}: ${attemptText(change)}`;
    case 'note':
      return `${paint('yellow', 'note')}: ${change.text}`;
    case 'open':
    case 'over':
      return openLines(change.item, flags);
  }
}

function phaseText(
  { phase, outcome, counts, fallback }: Extract<Change, { change: 'phase' }>,
  status: RunStatus | undefined,
): string {
  if (phase === 'closed') return `run closed: ${outcome ?? 'closed'}`;
  if (phase === 'drafting') return status?.loop === undefined ? 'compiling the plan' : 'deciding the first step';
  if (phase === 'awaiting-approval')
    return `waiting for a decision on ${fallback === true ? FALLBACK_PLAN : 'the plan'}`;
  return `running ${counted(counts.total, 'node')}`;
}
