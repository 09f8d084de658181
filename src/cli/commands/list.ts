/** `planwright list`: the runs of a namespace, the newest first; `inbox`: what they wait for a person to say. */

import type { Listed } from '../../operations/index.ts';
import { columnsOf, cutColumns, padColumns } from '../../language/lines/index.ts';
import { clockText, durationText, oneLine, visible } from '../../language/text/index.ts';
import { defineCommand } from '../define-command.ts';
import { count, flag, or, text } from '../options.ts';
import { commandFor, headLines, inboxText, missingOfInbox } from '../view/index.ts';

/** Columns of a goal at most. */
const GOAL = 80;
const INDENT = '  ';

export const listCommand = defineCommand({
  name: 'list',
  description: 'list the runs of this namespace, the newest first',
  examples: ['planwright list --open'],
  flags: { limit: or(20, count('at most so many')), open: flag('only those that have not ended') },
  operation: 'list',
  input: ({ limit, open }) => ({ limit, open }),
  show: ({ runs }, { output }) => textOf(runs, output.columns),
  hides: ['lookedAt'],
  lines: ['runs'],
  notes: ({ lookedAt }) =>
    lookedAt === undefined ? [] : [`note: these are the newest of the ${lookedAt} runs that the server lists first`],
});

/** How each run stands, and below that since when, what it waits for, and its goal. */
function textOf(runs: readonly Listed[], columns: number): string {
  if (runs.length === 0) return 'no runs';
  const now = new Date().toISOString();
  const ids = runs.map(({ workflowId }) => visible(workflowId));
  // One long id does not move the others' states away.
  const width = Math.max(...ids.map(columnsOf).filter((one) => one <= columns / 2), 0);
  return runs
    .flatMap((run, at) => {
      const { goal } = run;
      const heads = headLines(padColumns(ids[at] ?? '', width), INDENT, stateOf(run), columns);
      const lines = [timeText(run, now), ...(goal === undefined ? [] : [shortly(goal, columns)])];
      return [...heads, ...lines.map((line) => `${INDENT}${line}`)];
    })
    .join('\n');
}

/** `14:03:07Z, took 10.6 s`; of one that goes on how long ago it began, and whether it waits for a person */
function timeText({ startTime, closeTime, waitingFor = 0 }: Listed, now: string): string {
  const ms = Date.parse(closeTime ?? now) - Date.parse(startTime);
  const age = closeTime === undefined ? `${durationText(ms)} ago` : `took ${durationText(ms)}`;
  return `${clockText(startTime, now)}, ${age}${waitingFor === 0 ? '' : `, waits for a person: ${waitingFor}`}`;
}

function shortly(goal: string, columns: number): string {
  return cutColumns(oneLine(goal), Math.min(GOAL, columns - INDENT.length));
}

/** `drafting (planning: write)`, `running (round 3, 2 agents)` */
function stateOf({ outcome, phase, status, planning, loop, agents, fallback, build, ...rest }: Listed): string {
  const more = [
    ...('answered' in rest ? ['no worker answers'] : []),
    ...(planning === undefined ? [] : [`planning: ${planning.stage}`]),
    ...(loop === undefined ? [] : [`round ${loop.round}`]),
    ...(agents === undefined ? [] : [`${agents} agent${agents === 1 ? '' : 's'}`]),
    ...(fallback === undefined ? [] : ['fallback plan']),
    // A closed run holds nothing.
    ...(status === 'running' && build?.current !== undefined && build.build !== build.current
      ? [`build ${build.build}, current is ${build.current}`]
      : []),
  ];
  return `${outcome ?? phase ?? status}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

export const inboxCommand = defineCommand({
  name: 'inbox',
  summary: 'list what waits for a person',
  description: 'list what the runs of this namespace wait for a person to say, the oldest first',
  examples: ['planwright inbox --role reviewer'],
  flags: {
    role: text('<role>', 'only what waits for this role or for anybody'),
    limit: or(100, count('at most so many')),
  },
  operation: 'inbox',
  input: ({ role, limit }) => ({ role, limit }),
  json: (found, { flags, typed }) => ({
    ...found,
    items: found.items.map((item) => ({ ...item, command: commandFor(item, flags, typed.role) })),
  }),
  show: (found, { flags, typed, output }) => inboxText(found, output.columns, flags, typed.role),
  lines: ['items'],
  notes: (found, { output }) => missingOfInbox(found).map((line) => `${output.paint('yellow', 'note')}: ${line}`),
});
