import type { CancellationScope } from '@temporalio/workflow';
import {
  compiling,
  compilingStep,
  compileRequestOf,
  effectOf,
  given,
  nodeIndex,
  ruleCapabilities,
  signatureOf,
  type CompileRequest,
  type DecideRequest,
  type PlanningRequest,
  type PlanRevision,
  type Planning,
} from '../protocol/index.ts';
import {
  agentsToLookAt,
  failureToReport,
  type Incoming,
  type TaskEnd,
  type ReadonlyRun,
  type PendingTask,
  allowanceOfTask,
  untrustedSoFar,
} from './run/index.ts';
import type { Effect } from '../plan/index.ts';
import { cutCharacters, oneLine } from '../plan/text/index.ts';
import { factsIn, DeferredTask, nodeFailureOf, rethrowUnknown, runFailureOf } from './failures.ts';
import { now, type Mailbox } from './mailbox.ts';
import { callCompilePlan, callDecideStep, callPlanGoal, activities } from './call-activity.ts';
import { openScope } from './sdk/task-scope.ts';
import { NO_END, startNode, startPart } from './starters.ts';

type Ended = Omit<Extract<Incoming, { is: 'ended' }>, 'at'> | Omit<Extract<Incoming, { is: 'part-ended' }>, 'at'>;

export interface RunningTasks {
  begin(ids: readonly number[]): void;
  cancel(id: number): void;
  cancelPart(part: string): void;
}

export function openTasks(run: ReadonlyRun, mailbox: Mailbox): RunningTasks {
  const scopes = new Map<number | string, CancellationScope>();

  return {
    begin(ids) {
      for (const id of ids) {
        const task = run.tasks[id];
        if (task === undefined) continue;
        if (task.kind !== 'node' || task.part === undefined) beginOne(id, task);
        else if (!scopes.has(task.part)) beginPart(task.part);
      }
    },
    cancel: (id) => scopes.get(id)?.cancel(),
    cancelPart: (part) => scopes.get(part)?.cancel(),
  };

  function beginOne(id: number, task: PendingTask): void {
    // The effect is read before the task starts, since an edit may change the plan before the task ends.
    const effect = task.kind === 'node' ? effectOf(run.execution?.planShape, task.node) : 'read';
    within(
      id,
      () => executeTask(run, id, task, mailbox),
      effect,
      (ended) => ({ is: 'ended', taskId: id, ended }),
    );
  }

  function beginPart(part: string): void {
    within(
      part,
      () => startPart(run, part, mailbox),
      'read',
      (ended) => ({ is: 'part-ended', part, ended }),
    );
  }

  function within(
    key: number | string,
    start: () => Promise<unknown>,
    effect: Effect | undefined,
    arrival: (ended: TaskEnd) => Ended,
  ): void {
    const scope = openScope();
    scopes.set(key, scope);
    const report = (ended: TaskEnd) => {
      scopes.delete(key);
      mailbox.add({ ...arrival(ended), at: now() });
    };
    const reportError = (error: unknown) => {
      try {
        rethrowUnknown(error);
        report(
          error instanceof DeferredTask
            ? { ok: true, value: error.deferral }
            : { ok: false, end: nodeFailureOf(error, effect), failure: runFailureOf(error), ...factsIn(error) },
        );
      } catch (unknown) {
        mailbox.fail(unknown);
      }
    };
    // The SDK captures a stack trace for each promise, so this code creates few.
    void scope.run(start).then((value) => (value === NO_END ? undefined : report({ ok: true, value })), reportError);
  }
}

function executeTask(run: ReadonlyRun, id: number, task: PendingTask, mailbox: Mailbox): Promise<unknown> {
  switch (task.kind) {
    case 'node':
      return startNode(run, task.node, id, mailbox);
    case 'draft':
      return callCompilePlan(draftRequest(run), 'Compile the plan', task.attempts);
    case 'plan': {
      const { planning } = run.state;
      if (planning === undefined) return Promise.reject(new RangeError('nothing is planned'));
      const { report = '', lost = [] } = planning.anew ?? {};
      const base = run.execution?.planShape.revisionRef;
      return callPlanGoal(
        planningRequest(run, planning, id, base === undefined ? base : { base, feedback: report, lost }),
        task.attempts,
      );
    }
    case 'report':
      return activities.reportFailure(
        { ...failureToReport(run), work: id, ...allowanceOfTask(run, id) },
        'Say why the run failed',
      );
    case 'look':
      return activities.lookAtAgents(agentsToLookAt(run), "Look at agents' runs");
    case 'decide':
      return callDecideStep(decideRequest(run, id), task.attempts);
    case 'message':
    case 'default':
      return serveRequest(run, id, task);
    case 'unused':
      return Promise.reject(new RangeError('what no plan has is never begun'));
  }
}

function serveRequest(
  run: ReadonlyRun,
  id: number,
  { request, attempts }: Extract<PendingTask, { kind: 'message' | 'default' }>,
): Promise<unknown> {
  const revision = run.execution?.planShape.revisionRef ?? '';
  switch (request.do) {
    case 'compile':
      return callCompilePlan(
        editRequest(run, request.decision, revision),
        `Compile the plan that ${cutCharacters(oneLine(request.decision.by), 50)} edited`,
        attempts,
      );
    case 'revise': {
      const { by, feedback = '' } = request.decision;
      return callPlanGoal(planningRequest(run, request.planning, id, { base: revision, by, feedback }), attempts);
    }
    case 'store': {
      const { node, value, schema, revision: answered = revision } = request;
      const { firstRunId } = run.state;
      const of = node === undefined ? {} : { revision: answered, nodeId: node };
      const asks =
        node === undefined ? 'the planner' : answered === revision ? `${node} (${titleOf(run, node)})` : node;
      const answer = { firstRunId, ...of, value, ...given({ schema }) };
      return activities.storeAnswer(answer, `Check and store the answer to ${asks}`);
    }
    case 'keys':
      return activities.readKeys(undefined, "Read the project's public keys again");
  }
}

function titleOf({ execution }: ReadonlyRun, id: string): string {
  return execution?.planShape.summaries[nodeIndex(id)] ?? '';
}

export function draftRequest({ state }: ReadonlyRun): CompileRequest {
  const { source = { document: '' }, options, firstRunId, start } = state;
  return {
    firstRunId,
    ...startOf(state),
    ...compileRequestOf(source, options),
    ...given({ startToken: start?.signed.token }),
  };
}

export function editRequest(
  { state: { options, firstRunId }, execution }: ReadonlyRun,
  { plan, ref }: { readonly plan?: unknown; readonly ref?: string },
  base: string,
): CompileRequest {
  const source = ref === undefined ? { document: plan } : { ref };
  // After a person's edit, the plan may still have parts that the model wrote, so the plan's mark stays.
  return { firstRunId, source, base, ...given({ untrusted: execution?.planShape.written }), ...compiling(options) };
}

/** Each request has its own key in the journal of model calls, from the numbers of the planning and the request. */
export function planningRequest(
  run: ReadonlyRun,
  { goal, stage, requests, notes, trouble, answers, unsaid }: Planning,
  taskId: number,
  revise?: PlanRevision,
): PlanningRequest {
  const { options, plannings, firstRunId } = run.state;
  return {
    firstRunId,
    ...startOf(run.state),
    stage,
    call: `plan.${plannings}/${stage}/${requests}`,
    work: taskId,
    ...allowanceOfTask(run, taskId),
    goal,
    ...given({ notes, trouble, unsaid: unsaid && (true as const), answers, revise, untrusted: untrustedSoFar(run) }),
    ...compiling(options),
    ...(revise === undefined && ruleCapabilities(options)),
  };
}

export function decideRequest(run: ReadonlyRun, taskId: number): DecideRequest {
  const { loop, options, firstRunId } = run.state;
  const { task = { goal: '' }, round = 0, notes, observation, trouble } = loop ?? {};
  const compileOptions = compilingStep(options);
  return {
    firstRunId,
    // Only the first request has the signed start, which binds the start to this run.
    ...(round <= 1 && startOf(run.state)),
    task,
    round,
    call: `step_${round}/decide/1`,
    work: taskId,
    ...allowanceOfTask(run, taskId),
    ...given({ notes, observation, trouble, untrusted: untrustedSoFar(run) }),
    ...(Object.keys(compileOptions).length > 0 && { options: compileOptions }),
  };
}

function startOf({ start }: ReadonlyRun['state']): { readonly start?: string } {
  return given({ start: start && signatureOf(start.signed.token) });
}
