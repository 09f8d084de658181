import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { OperationError, wrongUsage } from '../operations/index.ts';
import { readJson, warningLines, wholeDocument } from '../plan/index.ts';
import { isRecord } from '../protocol/index.ts';
import { addTool, anyJson, planParameter, type HostToolAnswer, contentOf } from './tool.ts';
import { readModelAnswer } from './form.ts';
import { hostOf } from './host.ts';
import { takeAll, describeItems } from './open-items.ts';
import type { HostSession } from './host-session.ts';
import { taskOf } from './tasks.ts';
import { waitTurn, type WaitState } from './wait-round.ts';

const runId = z.string().describe('the id of a run, as run_plan gave it');
const duration = z.union([z.string(), z.int()]).optional();

/** Options of a run that an MCP host may set: no approval, conversation, other run, or higher limits. */
const Options = z.strictObject({
  mode: z.enum(['plan-first', 'reactive', 'auto']).optional().describe('of a goal; default plan-first'),
  onFailure: z.enum(['fail', 'partial', 'ask']).optional(),
  approvalDeadline: duration.describe('silence for so long is refusal, such as "24h"'),
  answerDeadline: duration,
  maxRounds: z.int().positive().optional().describe('steps that a reactive run may decide'),
  concurrency: z.int().positive().optional(),
  budget: z.record(z.string(), anyJson).optional().describe("the most that it spends; the project's own holds as well"),
  context: z.record(z.string(), z.unknown()).optional().describe('values that steps of a list may name'),
});

const RunPlan = z.strictObject({
  goal: z.string().optional().describe('what is to be done, in words; alone it is planned by the model of the worker'),
  plan: planParameter.optional().describe('a plan document, or the root of its tree beside goal'),
  options: Options.optional(),
});

const WaitPlan = z.strictObject({
  workflowId: runId,
  waitMs: z.int().nonnegative().optional().describe('at most 55000, the default'),
});

const AnswerPlan = z.strictObject({
  workflowId: runId,
  key: z.string().describe('of the item, as wait_plan gave it; it is used once'),
  decision: z.enum(['approve', 'reject', 'revise']).optional().describe('of an approval; revise takes a comment'),
  value: anyJson.optional().describe('of a question: JSON that fits its schema'),
  outcome: z
    .enum(['succeeded', 'failed', 'retry-node', 'skip-node'])
    .optional()
    .describe(
      'of an uncertain node; retry-node takes a comment: how it is known that it did not happen; skip-node leaves it open',
    ),
  action: z.string().optional().describe('of a failed node, a fault or a budget'),
  comment: z.string().optional(),
});

const STARTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

export function addRunTools(server: McpServer, session: HostSession): void {
  addTool(server, session, {
    name: 'run_plan',
    description:
      'Starts a run of a plan, or of a goal that becomes one. What it may change waits for a person; a run outlives this call ' +
      'and this host. Its id is needed to come back to it.',
    input: RunPlan,
    annotations: STARTS,
    async work(input, context) {
      const host = hostOf(server, context);
      const state = context.mcpReq.requestState<WaitState>() ?? {
        ...(await start(session, input)),
        asked: [],
        round: 0,
      };
      const { warnings = [] } = state;
      await session.handedOut.check(state.workflowId);
      if (host.tasks) return (await createdTask(session, state.workflowId, warnings)) as unknown as HostToolAnswer;
      return waitTurn({ session, host, context }, state);
    },
  });
  addTool(server, session, {
    name: 'wait_plan',
    description: 'Waits until a run has ended or waits for a person, at most 55 s, and says how it stands then.',
    input: WaitPlan,
    // Not read-only, since a person may approve effects during the wait.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    async work({ workflowId, waitMs }, context) {
      const state = context.mcpReq.requestState<WaitState>() ?? { workflowId, asked: [], round: 0 };
      await session.handedOut.check(state.workflowId);
      return waitTurn({ session, host: hostOf(server, context), context, waitMs }, state);
    },
  });
  addTool(server, session, {
    name: 'answer_plan',
    description:
      'Hands on the answer of a person to an item that a run waits for. Only for hosts that cannot ask their person themselves; ' +
      'never answer in the place of the person.',
    input: AnswerPlan,
    annotations: { ...STARTS, openWorldHint: false },
    async work({ workflowId, key, ...content }, context) {
      const host = hostOf(server, context);
      if (host.tasks || host.elicits) throw new OperationError('REFUSED', ASKS_ITSELF);
      const { open } = await session.perform('wait', { workflowId, waitMs: 0 });
      const responses = { [key]: { action: 'accept', content } };
      const { notes, isTaken } = await takeAll(session, workflowId, open, responses, host, readModelAnswer);
      // A wrong answer uses up its key, so the item is described again, with a new key.
      const waiting = isTaken ? undefined : await describeItems(session, open, host);
      const answer = contentOf({ workflowId, ok: isTaken, note: notes[0], waiting });
      return isTaken ? answer : { ...answer, isError: true };
    },
  });
}

const ASKS_ITSELF =
  'this host can ask its person itself, so that the answer of a model counts for nothing: wait_plan asks, and takes the answer';

async function start(
  session: HostSession,
  { goal, plan, options = {} }: z.output<typeof RunPlan>,
): Promise<Pick<WaitState, 'workflowId' | 'warnings'>> {
  if (goal === undefined && plan === undefined) throw wrongUsage('give a goal, a plan, or both');
  const settings = { ...session.handedOut.mark(), options: { ...options, approval: session.settings.approval } };
  const { document, seen: repairs } = documentOf(plan, goal);
  const started = await session.perform('start', {
    ...(document === undefined ? { goal } : { document }),
    ...settings,
  });
  session.handedOut.add(started.workflowId);
  return { workflowId: started.workflowId, warnings: [...repairs, ...warningLines(started.warnings)] };
}

/** The document to run: `plan` with the `goal` if `plan` is the root of a tree. A whole document has its own goal. */
function documentOf(plan: unknown, goal: string | undefined) {
  if (goal === undefined || plan === undefined) return { document: plan, seen: [] };
  const read = typeof plan === 'string' ? readJson(plan) : undefined;
  const { value, repairs } = read?.ok === true ? read : { value: plan, repairs: [] };
  const whole: unknown = wholeDocument(value, goal);
  if (whole !== value) return { document: whole, seen: repairs };
  const document = isRecord(value) ? { goal, ...value } : value;
  return { document, seen: isRecord(document) && document['goal'] === goal ? repairs : [...repairs, OWN_GOAL] };
}

const OWN_GOAL = 'the plan is a document with a goal of its own: "goal" is not read';

/** The first state of the task: `working`, even if the run already waits for a person. */
async function createdTask(session: HostSession, workflowId: string, warnings: readonly string[]) {
  const { result: _, inputRequests: _asked, ...task }: Record<string, unknown> = await taskOf(session, workflowId);
  const status = task['status'] === 'input_required' ? 'working' : task['status'];
  const read = warnings.length > 0 && { _meta: { 'planwright/warnings': warnings } };
  return { resultType: 'task', ...read, ...task, status };
}
