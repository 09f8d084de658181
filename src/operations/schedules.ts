/** Schedules that start plans, as a thin layer over Temporal's own schedules. Their starts are unsigned. */

import { ScheduleNotFoundError, type ScheduleSpec } from '@temporalio/client';
import { valueAt } from '../activities/grants/shape.ts';
import { replaceAt } from '../activities/revision.ts';
import { planDocument, type CompiledPlan, type JsonValue } from '../plan/index.ts';
import { cutBytes, oneLine } from '../plan/text/index.ts';
import { durationMs, given, PLAN_WORKFLOW, planWorkflowId } from '../protocol/index.ts';
import { projectRules, rulesOf } from '../workflows/run/index.ts';
import { compileSource, laterRunOptions, readRunOptions } from './compile.ts';
import { OperationError, wrongUsage } from './operation-error.ts';
import { IN_PROJECT, limitField, MAY_ACT, MORE, operation, textField } from './operation.ts';
import { equippedProject, type Plans } from './plans.ts';

/**
 * Adds a schedule (docs/grants.md#schedules); the word `add` is optional. `--every` is a time on certain days
 * (`weekdays 8:00`, `daily 8:00`, `mon,thu 18:30`), a duration (`15m`, `6h`), or a cron expression of five fields.
 */
export const schedule = operation({
  command: {
    words: 'schedule add <file>',
    example: "schedule plan.json --every 'weekdays 8:00'",
    place: [...IN_PROJECT, 'taskQueue'],
    from: { document: 'document', vary: 'object', approval: 'approval', budget: 'json', context: 'object' },
  },
  does: 'Start runs of a plan again and again; a grant lets them run without a person.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      document: z.unknown().describe('plan document'),
      every: z.string().describe("when: 'weekdays 8:00', 'mon,thu 18:30', 6h, or a cron expression"),
      timeZone: textField(z, 'of the times, such as Europe/Berlin (default UTC)'),
      vary: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('other values for arguments: {"node_2/arguments/amount":44}'),
      schedule: textField(z, 'id of the schedule (default: made from the goal)'),
      ...laterRunOptions(z),
    }),
  async run(plans, { document, every, timeZone, vary, schedule: name, ...settings }) {
    const options = given(settings);
    const { approval, context } = readRunOptions(options);
    const project = await equippedProject(plans);
    const { rules, registry: catalogue } = project ?? {};
    const all = [...rulesOf(approval), ...projectRules(given({ rules }))];
    if (all.some(({ notStarter }) => notStarter === true)) throw new OperationError('REFUSED', UNSIGNED);
    const spec = specOf(every, timeZone);
    const compiled = await compileSource({ document }, given({ context, catalogue }));
    const plan = vary === undefined ? document : withValues(compiled.plan, vary as Record<string, JsonValue>);
    const { plan: varied } =
      vary === undefined ? compiled : await compileSource({ document: plan }, given({ context, catalogue }));
    const { client, taskQueue, namespace } = await plans.session();
    const scheduleId = name ?? planWorkflowId(varied.goal, 'schedule');
    const text = plan instanceof Uint8Array ? Buffer.from(plan).toString('utf8') : plan;
    const handle = await client.schedule.create({
      scheduleId,
      spec,
      action: {
        type: 'startWorkflow',
        ...{ workflowType: PLAN_WORKFLOW, taskQueue, workflowId: planWorkflowId(varied.goal, 'run') },
        args: [{ plan: text, ...(Object.keys(options).length > 0 && { options }) }],
        staticSummary: cutBytes(oneLine(varied.goal), 400),
      },
    });
    const { info } = await handle.describe();
    return {
      schedule: scheduleId,
      namespace,
      digest: varied.digest,
      next: info.nextActionTimes.slice(0, 3).map((time) => time.toISOString()),
    };
  },
});

const UNSIGNED =
  'a rule does not count the starter (notStarter: true), so that each start must be signed, and nobody signs those of a schedule; ' +
  'start the runs by a program with a key, or take the rule away';

/** Replaces values of a plan. @returns a document @throws OperationError INPUT_INVALID */
function withValues(plan: CompiledPlan, values: Readonly<Record<string, JsonValue>>): unknown {
  const changed: Record<string, JsonValue> = {};
  for (const [path, value] of Object.entries(values)) {
    const found = valueAt(plan, path);
    if (found === undefined) throw new OperationError('INPUT_INVALID', `${path}: the plan has no such argument`);
    const { node, keys } = found;
    changed[node.id] = replaceAt(changed[node.id] ?? node.arguments!, keys, value);
  }
  const document = planDocument(plan, changed);
  if (document !== undefined) return document;
  throw new OperationError(
    'INPUT_INVALID',
    'the plan is too large to be written with other values; write them into its file',
  );
}

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;
const GROUPS: Readonly<Record<string, readonly (typeof DAYS)[number][]>> = {
  daily: DAYS,
  weekdays: DAYS.slice(1, 6),
  weekends: ['SATURDAY', 'SUNDAY'],
};

/**
 * Minimum interval in ms: a cron expression allows no shorter one.
 * @bound [operating] the time between two starts of a schedule @beyond a shorter one is refused
 */
const MIN_MS = 60_000;

/**
 * Parses the typed times of a schedule.
 * @throws OperationError USAGE
 * @example specOf('weekdays 8:00') // { calendars: [{ dayOfWeek: ['MONDAY', ...], hour: 8, minute: 0 }] }
 */
export function specOf(every: string, timezone?: string): ScheduleSpec {
  const zone = given({ timezone });
  const ms = durationMs(every);
  if (ms !== undefined && ms < MIN_MS) throw wrongUsage(`--every: expected at least 1m, got ${every}`);
  if (ms !== undefined) return { intervals: [{ every: ms }] };
  if (/^\S+( +\S+){4}$/.test(every.trim())) return { cronExpressions: [every.trim()], ...zone };
  const [, named = '', hour = '', minute = ''] = /^([a-z,]+) +(\d{1,2}):(\d\d)$/.exec(every.trim().toLowerCase()) ?? [];
  const days = named.split(',').map(daysOf);
  if (days.every(({ length }) => length > 0) && Number(hour) < 24 && Number(minute) < 60)
    return { calendars: [{ dayOfWeek: days.flat(), hour: Number(hour), minute: Number(minute) }], ...zone };
  throw wrongUsage(
    `--every: expected 'weekdays 8:00', 'mon,thu 18:30', 6h or a cron expression of five fields, got ${every}`,
  );
}

/** The days that a word means, such as `mon`, `Mondays` or `weekdays`; empty for any other word. */
function daysOf(name: string): readonly (typeof DAYS)[number][] {
  if (Object.hasOwn(GROUPS, name)) return GROUPS[name]!;
  return name.length < 3 ? [] : DAYS.filter((day) => `${day.toLowerCase()}s`.startsWith(name));
}

export const schedules = operation({
  command: {
    words: 'schedules',
    shows: { schedules: ['schedule', 'state', 'next', 'last', 'note'], note: 'wrapped' },
    lines: ['schedules'],
  },
  does: 'List the schedules of plans in the namespace.',
  input: (z) => z.object(limitField(z)),
  async run(plans, { limit }) {
    const { client } = await plans.session();
    const found = [];
    for await (const { scheduleId, action, state, info } of client.schedule.list()) {
      if (action?.workflowType !== PLAN_WORKFLOW) continue;
      if (found.length === limit) return { schedules: found, note: MORE };
      const [next, last] = [info.nextActionTimes[0], info.recentActions.at(-1)];
      const run = last?.action.workflow.workflowId;
      found.push(
        given({
          schedule: scheduleId,
          state: state.paused ? 'paused' : 'open',
          next: next?.toISOString(),
          last: run,
          note: state.note,
        }),
      );
    }
    return { schedules: found };
  },
});

type Handle = ReturnType<Awaited<ReturnType<Plans['session']>>['client']['schedule']['getHandle']>;

function ofSchedule(verb: string, does: string, reply: string, act: (handle: Handle, by: string) => Promise<unknown>) {
  return operation({
    command: {
      words: `schedule ${verb} <schedule>`,
      example: `schedule ${verb} plan-pay-schedule`,
      from: { by: 'person' },
    },
    does,
    ...MAY_ACT,
    input: (z) =>
      z.object({ schedule: z.string().describe('id of the schedule'), by: z.string().describe('who does it') }),
    async run(plans, { schedule: id, by }) {
      const { client } = await plans.session();
      try {
        await act(client.schedule.getHandle(id), by);
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
        throw wrongUsage(`there is no schedule ${id}; \`${plans.typed('schedules')}\` lists them`);
      }
      return { schedule: id, reply };
    },
  });
}

const WAITS = 'Start no more runs by a schedule until it is resumed.';
export const pauseSchedule = ofSchedule('pause', WAITS, 'paused', (handle, by) => handle.pause(`paused by ${by}`));
export const resumeSchedule = ofSchedule('resume', 'Go on with a paused schedule.', 'resumed', (handle, by) =>
  handle.unpause(`resumed by ${by}`),
);
export const deleteSchedule = ofSchedule('delete', 'Delete a schedule; its runs go on.', 'deleted', (handle) =>
  handle.delete(),
);
