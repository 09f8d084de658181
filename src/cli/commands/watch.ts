import { quoteForShell } from '../../plan/text/index.ts';
import { errorOfEnd, exitOf, endFacts, type ExitName } from '../../operations/index.ts';
import { given, type RunEnd, type RunView } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import { byHand } from '../define-command.ts';
import { changeLine, createLive, type Change } from '../view/index.ts';
import { usageText } from '../../operations/words/index.ts';
import type { UsageReport } from '../usage-report.ts';
import { startWait, timeLimit } from '../wait.ts';

interface End {
  readonly change: 'end';
  readonly outcome: string;
  readonly usage?: UsageReport;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * With jsonl a line for each change:
 *
 * - `{"change":"phase","phase","outcome"?,"revision","digest","counts","fallback"?}`
 * - `{"change":"node","id","status","summary","executor","result"?,"failure"?,"cause"?,"attempt"?,"worker"?,
 *   "startedAt"?,"written"?,"value"?}`
 * - `{"change":"attempt",...}`: the same fields, for another attempt at a node
 * - `{"change":"planning","stage","plan","call","why"?,"trouble"?}`
 * - `{"change":"replanned","digest","times","revision","why"}`
 * - `{"change":"edited","revision","digest"}`
 * - `{"change":"feedback","text"}`: what the planner's model writes
 * - `{"change":"step","workflowId","node"?,"seq","at","what","text"}`: a step that a model decided, or its end, in the
 *   run or in an agent's
 * - `{"change":"end","outcome","usage"?,"error"?}`; `usage` is `{"total","run","nodes":{"node_2":...}}`, each with
 *   `calls`, tokens and `cost`
 *
 * JSON: `{"ok","workflowId","outcome","changes","usage"?,"error"?}`. A node of less than 0.3 s may appear only when it
 * has ended. Stderr has what waits for a person, with its command, and a summary of the run after 10 s without a
 * change.
 */
export const watch = byHand({
  command: {
    words: 'watch <workflow-id>',
    example: 'watch plan-1 -o jsonl',
    place: ['timeout'],
    more: 'Its exit code is that of the outcome.',
  },
  does: 'Follow a run until it ends, a line for each change.',
  input: (z) => z.object({ workflowId: z.string().describe('the run') }),
  async run({ workflowId, ...rest }, { output, flags, plans }) {
    const limit = timeLimit(rest);
    const session = await plans.run(workflowId);
    const { usageReport } = await import('../usage-report.ts');
    const back = `come back with \`${asTyped(`watch ${quoteForShell(workflowId)}${flags}`)}\``;
    const { signal, end: endWait } = startWait(limit, `the run ${workflowId} goes on; ${back}`);
    const changes: (Change | End)[] = [];
    const live = createLive(output, (found, view) => {
      for (const change of found) onChange(change, view);
    });
    const print = (change: Change | End, text: () => string) => {
      if (output.format === 'json') changes.push(change);
      else live.print(() => output.print(change, text));
    };
    // Data is never coloured.
    const paint = (_style: string, text: string) => text;
    const look = { columns: output.lineColumns, paint, tells: 'worker' } as const;
    try {
      for await (const view of session.run.follow({ signal, contents: true })) {
        live.see(view);
        if (view.end !== undefined) return tellEnd(view, view.end);
      }
      throw new Error(`run ${workflowId} was followed past its end`);
    } finally {
      live.close();
      endWait();
    }

    function onChange(change: Change, { status, compiled: plan }: RunView): void {
      if (change.change === 'over') return;
      if (change.change !== 'note' && change.change !== 'open')
        print(change, () => changeLine(change, { ...look, status, plan }));
      else live.note(changeLine(change, { ...output, status, flags }));
    }

    function tellEnd(last: RunView, end: RunEnd): ExitName {
      live.close();
      const usage = usageReport(workflowId, last);
      const error = errorOfEnd(workflowId, end, asTyped);
      const { outcome, by } = endFacts(end);
      const why = given({ usage, error: error && { code: error.code, message: error.message } });
      const ended: End = { change: 'end', outcome, ...why };
      print(ended, () => endText(ended));
      if (output.format === 'json')
        output.print({ ok: error === undefined, workflowId, outcome, changes: changes, ...why }, () => '');
      return exitOf(outcome, by);
    }
  },
});

function endText({ outcome, error, usage }: End): string {
  const ended = `ended: ${error?.message ?? outcome}`;
  if (usage === undefined) return ended;
  const { total, nodes } = usage;
  const ofAgents = Object.entries(nodes).map(([node, one]) => `agent of ${node}: ${usageText(one)}`);
  return [ended, usageText(total), ...ofAgents].join('\n');
}
