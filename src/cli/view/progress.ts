/** A run while it goes on: how its views reach what shows them, and a line for each thing that happens. */

import type { RunView, ToldStep } from '../../client/follow/index.ts';
import { rowLines } from '../../plan/lines/index.ts';
import { counted } from '../../plan/text/index.ts';
import type { SeenNode, SeenRun } from '../../operations/index.ts';
import type { NodeStatus, RunStatus } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import {
  entryOfNode,
  FALLBACK_PLAN,
  planningLine,
  replannedLine,
  stepLine,
  tellingOf,
} from '../../operations/words/index.ts';

/** Shows a run on stderr. */
export interface ProgressView {
  /** How the run stands; the same may be told many times, and is shown once. */
  phase(status: RunStatus): void;
  nodes(nodes: readonly SeenNode[], status: RunStatus): void;
  /** A line that the planner's model has written of the plan under way. */
  written(line: string): void;
  /** A step that was decided by a model, or what came of one. */
  step(told: ToldStep): void;
  /** A line that stays. */
  note(line: string): void;
  /** The same trouble is told once, until the run answers again. */
  trouble(message: string): void;
  /** How everything stands now; on a terminal it is drawn until the next view comes. */
  now(view: SeenRun): void;
  /** While a person is asked nothing is shown; it is when the question is over. */
  hold(held: boolean): void;
  close(): void;
}

/** Takes the views of a run one after the other, and shows of each what is new in it. */
export function showViews(
  shown: Pick<ProgressView, 'phase' | 'nodes' | 'written' | 'step' | 'trouble' | 'now'>,
): (view: SeenRun) => void {
  let before: SeenRun['nodes'] = [];
  let feedback: RunView['feedback'] = [];
  let steps = 0;
  return (view) => {
    const { status, nodes, trouble } = view;
    if (trouble !== undefined) shown.trouble(trouble.message);
    else if (status !== undefined && status.phase !== 'closed') shown.phase(status);
    // The list holds the last lines only, so that its beginning goes while its end grows.
    for (const line of view.feedback) if (!feedback.includes(line)) shown.written(line);
    ({ feedback } = view);
    for (const one of view.steps.slice(steps)) shown.step(one);
    steps = view.steps.length;
    if (status !== undefined && nodes !== before) shown.nodes(nodes, status);
    if (trouble === undefined && status?.phase === 'closed') shown.phase(status);
    before = nodes;
    shown.now(view);
  };
}

/** Such a node is told when it has ended. */
const UNENDED: readonly NodeStatus[] = ['pending', 'running', 'waiting'];

/**
 * A line per node that ended and per change of phase: for logs, and for trees that no screen holds.
 *
 * @param isTold whether the phase is a line of its own
 */
export function lineView(
  output: Output,
  voice: Voice,
  isTold: (status: RunStatus) => boolean,
): Omit<ProgressView, 'now'> {
  const told = new Set<string>();
  const trouble = troubleOnce(output, voice.say);
  const tellWaits = waitsOnce(output, voice.say);
  let phase = '';
  let planning = '';
  let revision = 1;
  return {
    phase(status) {
      trouble.over();
      const plans = status.planning === undefined ? '' : planningLine(status.planning);
      if (plans !== '' && plans !== planning) voice.say(plans);
      else if (status.phase !== phase && plans === '' && isTold(status)) voice.say(phaseLine(status));
      tellWaits(status);
      planning = plans;
      phase = status.phase;
    },
    nodes(nodes, status) {
      if (status.revision > revision) {
        // Each step of a loop is a plan of its own, and is told as a step.
        if (status.loop === undefined) voice.say(revisionLine(status));
        revision = status.revision;
        told.clear();
      }
      for (const node of nodes) {
        if (UNENDED.includes(node.status) || told.has(node.id)) continue;
        told.add(node.id);
        const entry = { ...entryOfNode(node), words: tellingOf(node) };
        const prefix = `[${told.size}/${status.counts.total}] `;
        const { columns: width, paint } = output;
        for (const line of rowLines({ kind: 'node', depth: 0, prefix, entry }, { width, paint, named: true }))
          voice.say(line);
      }
    },
    written: (line) => voice.say(`  ${output.paint('cyan', line)}`),
    step: (one) => voice.say(stepLine(one)),
    note: voice.say,
    trouble: trouble.tell,
    hold: voice.hold,
    close: () => voice.hold(false),
  };
}

/** Whether a person has changed the plan, or the run had it made anew. */
function revisionLine({ revision, replanned, digest }: RunStatus): string {
  if (replanned?.revision === revision) return replannedLine(replanned, digest);
  return `the plan was edited: revision ${revision}, digest ${digest}`;
}

export interface Voice {
  say(line: string): void;
  hold(on: boolean): void;
}

/** Says lines, later while it is held. */
export function createVoice(write: (line: string) => void): Voice {
  let kept: string[] | undefined;
  return {
    say(line: string) {
      if (kept === undefined) write(line);
      else kept.push(line);
    },
    hold(on: boolean) {
      const lines = kept ?? [];
      kept = on ? lines : undefined;
      if (!on) lines.forEach(write);
    },
  };
}

function phaseLine({ phase, outcome, counts, loop, fallback }: RunStatus): string {
  if (phase === 'closed') return `run closed: ${outcome ?? 'closed'}`;
  if (phase === 'drafting') return loop === undefined ? 'compiling the plan' : 'deciding the first step';
  if (phase === 'awaiting-approval')
    return `waiting for a decision on ${fallback === true ? FALLBACK_PLAN : 'the plan'}`;
  return `running ${counted(counts.total, 'node')}`;
}

/** Tells what a run waits for beside people, in its own words, once as long as these are the same. */
export function waitsOnce(output: Output, say: (line: string) => void): (status: RunStatus) => void {
  let last = '';
  return ({ waits = '' }) => {
    if (waits !== '' && waits !== last) say(`${output.paint('yellow', 'note')}: it ${waits}`);
    last = waits;
  };
}

function troubleOnce(output: Output, say: (line: string) => void) {
  let last = '';
  return {
    tell(message: string) {
      if (message === last) return;
      last = message;
      say(`${output.paint('yellow', 'note')}: ${message}`);
    },
    over: () => void (last = ''),
  };
}
