/** The commands `planwright list` (the runs of a namespace, newest first) and `inbox` (what they ask people). */

import { missingOfInbox, silentText, unansweredText } from '../../operations/words/index.ts';
import { runStateText, type ListedRun, type ListedPlan, type OutputOf } from '../../operations/index.ts';
import { columnsOf, cutColumns, padColumns, wrap } from '../../plan/lines/index.ts';
import { counted, oneLine, visible } from '../../plan/text/index.ts';
import { asTyped } from '../typed-command.ts';
import type { Typed } from '../define-command.ts';
import type { View } from '../row-command.ts';
import { commandFor, headLines, inboxText, timesText } from '../view/index.ts';

const GOAL = 80;
const RUNS_SHOWN = 5;
const INDENT = '  ';

export const listView: View<'list'> = {
  show: (found, { output, typed, flags }) =>
    textOf(found, output.columns, typed['plan'] === undefined ? RUNS_SHOWN : Infinity, flags),
  notes: ({ runs, lookedAt, unknown }) => [
    ...silentText(runs.flatMap(({ workflowId, reason }) => (reason === undefined ? [] : [{ workflowId, reason }]))),
    ...(lookedAt === undefined
      ? []
      : [`note: these are the newest of the ${lookedAt} runs that the server lists first`]),
    ...(unknown === undefined
      ? []
      : [`note: of ${counted(unknown, 'run')} the plan is not known; no worker answers for them`]),
  ],
};

function textOf({ runs, plans }: OutputOf<'list'>, columns: number, most: number, flags: string): string {
  if (runs.length === 0) return 'no runs';
  const byId = new Map(runs.map((run) => [run.workflowId, run]));
  // An id that is longer than half a line does not widen the column of ids.
  const widths = runs.map(({ workflowId }) => columnsOf(visible(workflowId))).filter((one) => one <= columns / 2);
  const width = Math.max(...widths, 0);
  return plans
    .flatMap(({ digest, goal, workflowIds, ...sums }) => {
      const head = `${digest === undefined ? 'plan not known' : `plan ${digest.slice(0, 8)}`}, ${sumText(sums)}`;
      const rows = workflowIds.slice(0, most).flatMap((id) => {
        const run = byId.get(id)!;
        const state = `${stateText(run)}; ${timesText(run.startTime, run.closeTime)}`;
        // An id that is too long gets its own line, uncut, so that people can copy it.
        return headLines(padColumns(visible(id), width), INDENT, state, columns - INDENT.length).map((line) =>
          columnsOf(line) > columns - INDENT.length ? line : INDENT + line,
        );
      });
      const more = workflowIds.length - most;
      const all = digest === undefined ? '' : `: ${asTyped(`list --plan ${digest.slice(0, 8)}${flags}`)}`;
      return [
        cutColumns(oneLine(goal ?? 'a run without a goal'), Math.min(GOAL, columns)),
        ...wrap(head, columns - INDENT.length).map((line) => INDENT + line),
        ...rows,
        ...(more > 0 ? [`${INDENT}and ${more} more${all}`] : []),
      ];
    })
    .join('\n');
}

/** Text such as `3 runs: 2 done, 1 awaiting-approval; waits for a person: 1`. */
function sumText({ count: total, states, waitingFor }: Pick<ListedPlan, 'count' | 'states' | 'waitingFor'>): string {
  const each = Object.entries(states).map(([state, one]) => `${one} ${state}`);
  return `${counted(total, 'run')}: ${each.join(', ')}${waitingFor === 0 ? '' : `; waits for a person: ${waitingFor}`}`;
}

/** Text such as `drafting (planning: write)`, `running (round 3, 2 agents)` or `awaiting-approval (paused)`. */
function stateText(run: ListedRun): string {
  const { status, planning, loop, agents, waits, fallback, build, ...rest } = run;
  const state = runStateText(run);
  const more = [
    ...('answered' in rest ? [unansweredText(rest)] : []),
    ...(run.paused === true && state !== 'paused' ? ['paused'] : []),
    ...(planning === undefined ? [] : [`planning: ${planning.stage}`]),
    ...(loop === undefined ? [] : [`round ${loop.round}`]),
    ...(agents === undefined ? [] : [`${agents} agent${agents === 1 ? '' : 's'}`]),
    ...(waits === undefined ? [] : [waits]),
    ...(fallback === undefined ? [] : ['fallback plan']),
    // Names the build only of open runs, since closed runs need no worker.
    ...(status === 'running' && build?.current !== undefined && build.build !== build.current
      ? [`build ${build.build}, current is ${build.current}`]
      : []),
  ];
  return `${state}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

export const inboxView: View<'inbox'> = {
  json: (found, { flags, typed }) => ({
    ...found,
    items: found.items.map((item) => ({ ...item, command: commandFor(item, flags, roleIn(typed)) })),
  }),
  show: (found, { flags, typed, output }) => inboxText(found, output.columns, flags, roleIn(typed)),
  notes: (found, { output }) => missingOfInbox(found).map((line) => `${output.paint('yellow', 'note')}: ${line}`),
};

function roleIn(typed: Typed): string | undefined {
  return typed['role'] as string | undefined;
}
