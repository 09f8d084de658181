/** Two ways to show a run while it goes on: a tree that is drawn again in place, and a line for each thing that happens. */

import type { NodeStatus, NodeView, RunStatus } from '../../contract/index.ts';
import { outlineLines, rowLines } from '../../outline/index.ts';
import { outlineOf, type CompiledPlan } from '../../plan/index.ts';
import type { Output } from '../../terminal/index.ts';
import { counted } from '../../text/index.ts';
import { entryOfNode, tellingOf } from './node-lines.ts';
import type { ProgressView } from './progress-view.ts';
import { stepLine } from './step-line.ts';
import { planningLine } from './work-lines.ts';

/** Such a node is told when it has ended. */
const UNENDED: readonly NodeStatus[] = ['pending', 'running', 'waiting'];
/** Room for what else is on the screen, and the least that a plan is drawn in. */
const OTHER_ROWS = 6;
const LEAST_ROWS = 8;

/** Without a plan, as while a goal becomes one, there is no tree to draw. */
export function progressView(plan: CompiledPlan | undefined, output: Output): ProgressView {
  const { rows = 24 } = process.stderr;
  if (!output.canRedraw || plan === undefined || rows - OTHER_ROWS < LEAST_ROWS) return lineView(output);
  return liveTree(plan, rows - OTHER_ROWS, output);
}

/** A line per node that ended and per change of phase: for logs, and for trees that no screen holds. */
export function lineView(
  output: Output,
  voice: Voice = createVoice((line) => output.note(line)),
  isTold: (status: RunStatus) => boolean = () => true,
): ProgressView {
  const told = new Set<string>();
  const trouble = troubleOnce(output, voice.say);
  let phase = '';
  let planning = '';
  let revision = 1;
  return {
    phase(status) {
      trouble.over();
      const plans = status.planning === undefined ? '' : planningLine(status.planning);
      if (plans !== '' && plans !== planning) voice.say(plans);
      else if (status.phase !== phase && plans === '' && isTold(status)) voice.say(phaseLine(status));
      planning = plans;
      phase = status.phase;
    },
    nodes(nodes, status) {
      if (status.revision > revision) {
        // Each step of a loop is a plan of its own, and is told as a step.
        if (status.loop === undefined)
          voice.say(`the plan was edited: revision ${status.revision}, digest ${status.digest}`);
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

/** Draws the first plan, a large one folded; another one that takes its place is told in lines. */
function liveTree(plan: CompiledPlan, rows: number, output: Output): ProgressView {
  let drawn = 0;
  let held = false;
  let latest: readonly NodeView[] = [];
  const voice = createVoice((line) => {
    erase();
    output.note(line);
  });
  // What goes on, and how it ended, is seen in the tree.
  const isUnseen = ({ revision, phase }: RunStatus) => revision > 1 || (phase !== 'running' && phase !== 'closed');
  const lines = lineView(output, voice, isUnseen);
  return {
    ...lines,
    nodes(nodes, status) {
      if (status.revision > 1) {
        leaveDrawn();
        lines.nodes(nodes, status);
      } else if (status.counts.pending < status.counts.total) {
        latest = nodes;
        draw();
      }
    },
    note(line) {
      voice.say(line);
      draw();
    },
    hold(on) {
      held = on;
      voice.hold(on);
      if (on) drawn = 0;
      else draw();
    },
    close() {
      leaveDrawn();
      lines.close();
    },
  };

  function draw(): void {
    if (held || latest.length === 0) return;
    erase();
    const byId = new Map(latest.map((node) => [node.id, node]));
    const more = (id: string) => {
      const node = byId.get(id);
      if (node === undefined) return { standing: 'pending' } as const;
      const { title: _, takes: __, ms, ...entry } = entryOfNode(node);
      // Time that goes on is not drawn again by itself.
      return { ...entry, ...(node.endedAt !== undefined && ms !== undefined && { ms }) };
    };
    const outline = outlineOf(plan, { words: 'none', more });
    const { columns, paint } = output;
    const tree = outlineLines(outline, { width: columns - 1, paint, single: true, most: rows });
    for (const line of tree) output.note(line);
    drawn = tree.length;
  }

  function erase(): void {
    if (drawn > 0) process.stderr.write(`\u001B[${drawn}A\u001B[0J`);
    drawn = 0;
  }

  /** What is drawn stays; what is written next goes below it. */
  function leaveDrawn(): void {
    drawn = 0;
    latest = [];
  }
}

interface Voice {
  say(line: string): void;
  hold(on: boolean): void;
}

/** Says lines, later while it is held. */
function createVoice(write: (line: string) => void): Voice {
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

function phaseLine({ phase, outcome, counts, loop }: RunStatus): string {
  if (phase === 'closed') return `run closed: ${outcome ?? 'closed'}`;
  if (phase === 'drafting') return loop === undefined ? 'compiling the plan' : 'deciding the first step';
  if (phase === 'awaiting-approval') return 'waiting for a decision on the plan';
  return `running ${counted(counts.total, 'node')}`;
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
