/** `planwright watch`: follows a run until it ends. Every change is a record on stdout. */

import type { AttemptView } from '../../client/index.ts';
import type { RunView } from '../../client/follow/index.ts';
import { errorOfEnd, exitOf, followSeen, saidBy, type SeenNode } from '../../operations/index.ts';
import { given, type PlanningView, type ReplannedView, type RunStatus, type TraceEntry } from '../../protocol/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand } from '../define-command.ts';
import { duration } from '../options.ts';
import { createLive, nodeLines, openLines, showViews, waitsOnce, type ProgressView } from '../view/index.ts';
import {
  attemptText,
  FALLBACK_PLAN,
  planningLine,
  replannedLine,
  stepLine,
  usageText,
} from '../../operations/words/index.ts';
import type { Output } from '../terminal/index.ts';
import type { UsageReport } from '../usage-report.ts';
import { startWait, timeLimit } from '../wait.ts';

/**
 * A change: the run went on to another phase or another stage of planning, its plan was made anew, its planner wrote a line, a step was decided or
 * ended (here or in the agent of a node), a node stands otherwise or is attempted again, or the run ended.
 */
type Change =
  | ({ readonly change: 'phase' } & Pick<
      RunStatus,
      'phase' | 'outcome' | 'revision' | 'digest' | 'counts' | 'fallback'
    >)
  | ({ readonly change: 'planning' } & PlanningView)
  | ({ readonly change: 'replanned'; readonly digest: string } & ReplannedView)
  | { readonly change: 'feedback'; readonly text: string }
  | ({ readonly change: 'step'; readonly workflowId: string; readonly node?: string } & TraceEntry)
  | ({ readonly change: 'node' } & SeenNode)
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
    const { openChanges } = await import('../../client/follow/index.ts');
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
    const show = showViews({ ...changesView(tell, note, output), now: live.show });
    const attempts = new Map<string, number>();
    const tellAttempt = (one: AttemptView) => {
      if (attempts.get(one.id) === one.attempt) return;
      attempts.set(one.id, one.attempt);
      tell({ change: 'attempt', ...one });
    };
    let open: RunView['open'] = [];
    try {
      const { view: last, end } = await followSeen(session, signal, (view) => {
        show(view);
        for (const one of view.attempts) if (one.attempt > 1) tellAttempt(one);
        for (const item of openChanges(open, view.open).opened) note(openLines(item, flags));
        ({ open } = view);
      });
      live.close();
      const usage = usageReport(workflowId, last);
      const error = errorOfEnd(workflowId, end, asTyped);
      const { outcome, by } = saidBy(end);
      const why = given({ usage, error: error && { code: error.code, message: error.message } });
      tell({ change: 'end', outcome, ...why });
      if (output.format === 'json')
        output.print({ ok: error === undefined, workflowId, outcome, changes: told, ...why }, () => '');
      return exitOf(outcome, by);
    } finally {
      live.close();
      endWait();
    }
  },
});

function changesView(
  tell: (change: Change) => void,
  note: (line: string) => void,
  output: Output,
): Pick<ProgressView, 'phase' | 'nodes' | 'written' | 'step' | 'trouble'> {
  const before = new Map<string, string>();
  const tellWaits = waitsOnce(output, note);
  let phase = '';
  let planning = '';
  let made = 0;
  return {
    phase(status) {
      tellWaits(status);
      const plans = JSON.stringify(status.planning ?? '');
      if (status.planning !== undefined && plans !== planning) tell({ change: 'planning', ...status.planning });
      planning = plans;
      const { replanned } = status;
      if (replanned !== undefined && replanned.revision > made) {
        made = replanned.revision;
        tell({ change: 'replanned', digest: status.digest, ...replanned });
      }
      if (status.phase === phase) return;
      phase = status.phase;
      const { outcome, revision, digest, counts, fallback } = status;
      tell(given({ change: 'phase' as const, phase: status.phase, outcome, revision, digest, counts, fallback }));
    },
    nodes(nodes) {
      for (const node of nodes) {
        // A node that has not begun is no change.
        if (node.status === (before.get(node.id) ?? 'pending')) continue;
        before.set(node.id, node.status);
        tell({ change: 'node', ...node });
      }
    },
    written: (text) => tell({ change: 'feedback', text }),
    step: ({ workflowId, node, entry }) => tell({ change: 'step', ...given({ workflowId, node }), ...entry }),
    trouble: (message) => note(`${output.paint('yellow', 'note')}: ${message}`),
  };
}

function lineOf(change: Change, columns: number): string {
  if (change.change === 'phase') {
    const isAsked = change.phase === 'awaiting-approval' && change.fallback === true;
    const how = isAsked ? FALLBACK_PLAN : change.outcome;
    return `run ${change.phase}${how === undefined ? '' : `: ${how}`}`;
  }
  if (change.change === 'planning') return planningLine(change);
  if (change.change === 'replanned') return replannedLine(change, change.digest);
  if (change.change === 'feedback') return `  ${change.text}`;
  if (change.change === 'step') return stepLine({ ...change, entry: change });
  if (change.change === 'end') return endLine(change);
  if (change.change === 'attempt') return `${change.id}: ${attemptText(change)}`;
  return nodeLines([change], { columns, tells: 'worker' }).join('\n');
}

function endLine({ outcome, error, usage }: Extract<Change, { change: 'end' }>): string {
  const ended = `ended: ${error?.message ?? outcome}`;
  if (usage === undefined) return ended;
  const { total, nodes } = usage;
  const ofAgents = Object.entries(nodes).map(([node, one]) => `agent of ${node}: ${usageText(one)}`);
  return [ended, usageText(total), ...ofAgents].join('\n');
}
