/** `planwright watch`: follows a run until it ends. Every change is a record on stdout. */

import type { AttemptView } from '../../edge/client/index.ts';
import type { RunView } from '../../edge/client/follow/index.ts';
import { errorOfEnd, exitOfEnd, ofAttempt, outcomeOf, type Work } from '../../operations/index.ts';
import type { NodeView, PlanningView, RunStatus, TraceEntry } from '../../wire/contract/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand } from '../define-command.ts';
import { duration } from '../options.ts';
import {
  attemptText,
  byText,
  createLive,
  nodeLines,
  openLines,
  planningLine,
  showViews,
  stepLine,
  usageText,
  type ProgressView,
} from '../view/index.ts';
import type { Output } from '../terminal/index.ts';
import type { UsageReport } from '../usage-report.ts';
import { startWait, timeLimit } from '../wait.ts';

/**
 * A change: the run went on to another phase or another stage of planning, its planner wrote a line, a step was decided or
 * ended (here or in the agent of a node), a node stands otherwise or is attempted again, or the run ended.
 */
type Change =
  | ({ readonly change: 'phase' } & Pick<RunStatus, 'phase' | 'outcome' | 'revision' | 'digest' | 'counts'>)
  | ({ readonly change: 'planning' } & PlanningView)
  | { readonly change: 'feedback'; readonly text: string }
  | ({ readonly change: 'step'; readonly workflowId: string; readonly node?: string } & TraceEntry)
  | ({ readonly change: 'node' } & NodeView & Work)
  | ({ readonly change: 'attempt' } & AttemptView)
  | {
      readonly change: 'end';
      readonly outcome: string;
      readonly usage?: UsageReport;
      readonly error?: { readonly code: string; readonly message: string };
    };

export const watchCommand = defineCommand({
  name: 'watch',
  summary: 'follow a run until it ends',
  description: 'follow a run, a line for each change, until it ends; exits by its outcome',
  examples: ['planwright watch plan-1 -o jsonl'],
  arguments: { workflowId: 'the run' },
  flags: { timeout: duration('follow no longer than this; the run goes on') },
  async run({ workflowId, ...rest }, { output, flags, plans }) {
    const limit = timeLimit(rest);
    const session = await plans.run(workflowId);
    const { followToEnd, openChanges } = await import('../../edge/client/follow/index.ts');
    const { usageReport } = await import('../usage-report.ts');
    const back = `come back with \`${asTyped(`watch ${workflowId}${flags}`)}\``;
    const { signal, end: endWait } = startWait(limit, `the run ${workflowId} goes on; ${back}`);
    const told: Change[] = [];
    // Lines that a pipe hands on to the same terminal would be drawn over.
    const live = createLive({ ...output, canRedraw: output.canRedraw && process.stdout.isTTY });
    const tell = (change: Change) => {
      // One JSON document is printed at the end; lines are printed as they come.
      if (output.format === 'json') told.push(change);
      else live.above(() => output.print(change, () => lineOf(change, output.lineColumns)));
    };
    const note = (line: string) => live.above(() => output.note(line));
    const show = showViews({ ...changesView(tell, note, (id) => work.get(id), output), now: live.show });
    const attempts = new Map<string, number>();
    const work = new Map<string, Work>();
    const tellAttempt = (one: AttemptView) => {
      if (attempts.get(one.id) === one.attempt) return;
      attempts.set(one.id, one.attempt);
      tell({ change: 'attempt', ...one });
    };
    let open: RunView['open'] = [];
    let revision: number | undefined;
    let usage: UsageReport | undefined;
    try {
      const end = await followToEnd(session.run, { signal, server: session }, (view) => {
        if (view.status?.revision !== revision) work.clear();
        revision = view.status?.revision;
        for (const one of view.attempts) work.set(one.id, ofAttempt(one));
        show(view);
        for (const one of view.attempts) if (one.attempt > 1) tellAttempt(one);
        for (const item of openChanges(open, view.open).opened) note(openLines(item, flags));
        ({ open } = view);
        usage = usageReport(workflowId, view);
      });
      live.close();
      const error = errorOfEnd(workflowId, end, asTyped);
      const outcome = outcomeOf(end);
      const why = error === undefined ? {} : { error: { code: error.code, message: error.message } };
      const paid = usage === undefined ? {} : { usage };
      tell({ change: 'end', outcome, ...paid, ...why });
      if (output.format === 'json')
        output.print({ ok: error === undefined, workflowId, outcome, changes: told, ...paid, ...why }, () => '');
      return exitOfEnd(end);
    } finally {
      live.close();
      endWait();
    }
  },
});

function changesView(
  tell: (change: Change) => void,
  note: (line: string) => void,
  workOf: (id: string) => Work | undefined,
  output: Output,
): Pick<ProgressView, 'phase' | 'nodes' | 'written' | 'step' | 'trouble'> {
  const before = new Map<string, string>();
  let phase = '';
  let planning = '';
  return {
    phase(status) {
      const plans = JSON.stringify(status.planning ?? '');
      if (status.planning !== undefined && plans !== planning) tell({ change: 'planning', ...status.planning });
      planning = plans;
      if (status.phase === phase) return;
      phase = status.phase;
      const { outcome, revision, digest, counts } = status;
      tell({
        change: 'phase',
        phase: status.phase,
        ...(outcome !== undefined && { outcome }),
        revision,
        digest,
        counts,
      });
    },
    nodes(nodes) {
      for (const node of nodes) {
        // A node that has not begun is no change.
        if (node.status === (before.get(node.id) ?? 'pending')) continue;
        before.set(node.id, node.status);
        tell({ change: 'node', ...node, ...workOf(node.id) });
      }
    },
    written: (text) => tell({ change: 'feedback', text }),
    step: ({ workflowId, node, entry }) =>
      tell({ change: 'step', workflowId, ...(node !== undefined && { node }), ...entry }),
    trouble: (message) => note(`${output.paint('yellow', 'note')}: ${message}`),
  };
}

function lineOf(change: Change, columns: number): string {
  if (change.change === 'phase')
    return `run ${change.phase}${change.outcome === undefined ? '' : `: ${change.outcome}`}`;
  if (change.change === 'planning') return planningLine(change);
  if (change.change === 'feedback') return `  ${change.text}`;
  if (change.change === 'step') return stepLine({ ...change, entry: change });
  if (change.change === 'end') return endLine(change);
  if (change.change === 'attempt') return `${change.id}: ${attemptText(change)}`;
  return nodeLines([change], { columns }, { by: () => byText(change) }).join('\n');
}

function endLine({ outcome, error, usage }: Extract<Change, { change: 'end' }>): string {
  const ended = `ended: ${error?.message ?? outcome}`;
  if (usage === undefined) return ended;
  const { total, nodes } = usage;
  const ofAgents = Object.entries(nodes).map(([node, one]) => `agent of ${node}: ${usageText(one)}`);
  return [ended, usageText(total), ...ofAgents].join('\n');
}
