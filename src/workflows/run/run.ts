import type { Run, Execution } from './in-memory.ts';
import type { ApprovalSubject, Wait } from '../approval/state.ts';
import type { RunState, Nodes, Replans } from './state.ts';
import {
  type ApprovalRule,
  given,
  type NodeEnd,
  type NodeExecutor,
  nodeId,
  type Outcome,
  type ProjectPolicy,
  type PlanShape,
  type TracedMessage,
  type TraceKind,
  type Killed,
  effectOf,
  type UncertainEffect,
  uncertainText,
  UNTRUSTED_RESULT,
  DEFAULT_OPTIONS,
  NO_USAGE,
  type Planning,
} from '../../protocol/index.ts';
import { close, openRevision, DRAFTING } from '../approval/approval.ts';
import { normalizeName, reachedRules, rulesOf } from '../approval/rules.ts';
import { fail, failForNow, openNodes, reopenProgress } from './nodes/progress.ts';
import { addEntry, openTrace } from './trace.ts';
import { isLoss, countTasks } from './task-traits.ts';
import { lanesOf } from './resources.ts';
import { numbered } from './records.ts';

/** @param startedAt when the first history began (ISO 8601) @param tasks the tasks of the previous history */
export function openRun(workflowId: string, startedAt: string, tasks: Run['tasks'] = {}): Run {
  return {
    workflowId,
    state: openState(startedAt),
    execution: undefined,
    tasks,
    lastTaskId: 0,
    parts: new Map(),
    agentsHere: new Set(),
    outbox: { begin: [], cancel: [], cancelParts: [], replies: [] },
    viewChanged: true,
    recheckNodes: false,
    counts: countTasks(tasks),
    drain: {},
  };
}

/** Opens a revision for a compiled plan. Messages that came before the plan are judged next. */
export function planCompiled(run: Run, planShape: PlanShape, project: ProjectPolicy, at: string): void {
  const { state } = run;
  const { maxRejections, maxRevisions, concurrency } = state.options;
  // Only the first activity that reports the project's rules counts.
  if (state.projectFacts !== 'project') state.project = project;
  state.projectFacts = 'project';
  delete state.source;
  run.execution = openExecution(planShape, concurrency);
  const bounded = { ...state.approval, bounds: { maxRejections, maxRevisions } };
  state.approval = openRevision(bounded, { digest: planShape.digest, subject: subjectOf(state, planShape), at });
  judgeEarlyMessages(state);
  const text = `${planShape.inputs.length} nodes, digest ${planShape.digest.slice(0, 8)}`;
  note(run, at, 'compiled', [text, ...warningsOf(planShape, planShape.inputs.keys())].join('; '));
}

/** Marks messages that waited for a plan, so that the next turn judges them. */
export function judgeEarlyMessages({ inbox }: RunState): void {
  for (const message of inbox) if (message.waitsFor === 'plan') message.waitsFor = 'turn';
}

/** Steps of a loop or chat with only these capabilities need no approval (as in Osprey). */
const TALK = ['ask', 'respond', 'clarify'];

/** What an approval of the plan covers. In a loop, the rules of the run and the project apply too. */
export function subjectOf(
  state: Pick<RunState, 'options' | 'project' | 'made' | 'loop' | 'start' | 'editors'>,
  planShape: PlanShape,
): ApprovalSubject {
  const { options, project, made, loop, start, editors } = state;
  const { inputs, after, executors, executorOf, previews, untrusted } = planShape;
  const isTalk =
    (loop !== undefined || made === 'answer') &&
    executors.every(({ name, effect }) => effect === 'read' && TALK.includes(name ?? ''));
  const asked = isTalk && options.approval === 'required' ? 'effects' : options.approval;
  const rules = [...rulesOf(made === 'fallback' ? 'required' : asked), ...projectRules(project)];
  return {
    plan: { inputs, executors, executorOf, ...given({ after, previews, untrusted }) },
    rules: reachedRules(rules, planShape, loop?.cost),
    deadlineMs: options.approvalDeadlineMs,
    ...(start?.by !== undefined && { authors: [...new Set([normalizeName(start.by), ...editors])] }),
  };
}

/** Adds an author of the next plan: anybody whose text is in it. In a loop, the model sees all messages. */
export function addAuthor({ state }: Run, by: string, token?: string): void {
  const { editors, editTokens } = state;
  const person = normalizeName(by);
  if (editors.includes(person)) return;
  state.editors = [...editors, person];
  if (token !== undefined) state.editTokens = [...editTokens, token];
}

/** What an approval covers: the open plan, or the node of an effect that an edit removed. */
export function subjectFor({ state, execution }: Run, of: Execution): ApprovalSubject | undefined {
  return of === execution ? state.approval.subject : subjectOf(state, of.planShape);
}

/** If a project has keys, no effect begins without a signature. Workers check this too. */
export function projectRules({ rules = [], keys }: Pick<ProjectPolicy, 'rules' | 'keys'>): readonly ApprovalRule[] {
  return keys === undefined ? rules : [...rules, { effect: 'idempotent' }];
}

/** The nodes that wait for an approval or, after a rejection, all nodes that have not started. */
export function askingNodes({ state: { approval }, execution }: Run): readonly number[] {
  if (approval.phase !== 'awaiting-approval') return [];
  const waiting = approval.rejected
    ? (approval.subject?.plan.executorOf ?? []).map((_, node) => node)
    : approval.uncovered;
  return waiting.filter((node) => execution?.progress.status[node] === 'pending');
}

export function isAsking({ state: { approval }, execution }: Run): boolean {
  if (approval.phase !== 'awaiting-approval' || execution === undefined) return false;
  const { status, counts } = execution.progress;
  return approval.rejected ? counts.pending > 0 : approval.uncovered.some((node) => status[node] === 'pending');
}

/**
 * The first untrusted result or failure of the run so far, such as `node_4 (web page)`. A model that writes a plan or a
 * step afterwards may have read it.
 */
export function untrustedSoFar({ state, execution }: Pick<Run, 'execution' | 'state'>): string | undefined {
  const { planShape, progress } = execution ?? {};
  const before = state.untrusted ?? planShape?.written;
  if (before !== undefined || planShape === undefined || progress === undefined) return before;
  const { executors, executorOf, untrusted = {} } = planShape;
  const ended = [...executorOf.keys()].filter(
    (node) => (progress.handles[node] ?? progress.failures[node]) !== undefined,
  );
  const sourceOf = (node: number) => executors[executorOf[node]!]?.untrusted;
  const isMarked = (node: number) => (untrusted[node] ?? progress.handles[node]?.untrusted) !== undefined;
  const found = ended.find((node) => sourceOf(node) !== undefined) ?? ended.find(isMarked);
  if (found === undefined) return undefined;
  const { step } = state.loop ?? {};
  return `${step === undefined ? nodeId(found) : `step_${step.round}`} (${sourceOf(found) ?? UNTRUSTED_RESULT})`;
}

export function rememberUntrusted(run: Run): void {
  Object.assign(run.state, given({ untrusted: untrustedSoFar(run) }));
}

export function endNode(
  run: Run,
  node: number,
  end: NodeEnd,
  at: string,
  execution = run.execution,
  name = nodeId(node),
): void {
  const { state } = run;
  if (execution === undefined) return;
  const { status, ...failure } = uncertainIfLost(end, execution.mayHaveBegun[node]);
  delete execution.mayHaveBegun[node];
  const { options, approval, cancelled } = state;
  const asks = status === 'uncertain' || (status === 'failed' && (options.onFailure === 'ask' || isLoss(end)));
  if (asks && !cancelled && approval.phase !== 'closed') {
    askAbout(run, node, { status, ...failure }, at, execution, name);
    return;
  }
  fail(execution.progress, node, status, failure);
  note(run, at, 'node', `${name} ${status}: ${failure.message}`);
}

function uncertainIfLost(end: NodeEnd, mayHaveBegun: boolean | undefined): NodeEnd {
  return mayHaveBegun === true ? { status: 'uncertain', type: 'Uncertain', message: `${end.message}; ${LOST}` } : end;
}

const LOST = 'an attempt at it was lost, and nobody could find out whether its effect had begun';

/** Records whether an at-most-once effect may have begun in a lost attempt. */
export function recordLoss({ planShape, mayHaveBegun }: Execution, node: number, isLost: boolean): void {
  if (isLost && effectOf(planShape, node) === 'at-most-once') mayHaveBegun[node] = true;
  else delete mayHaveBegun[node];
}

/** Whether the trace records signed messages, which it does if the project may have receipts. */
export function tracesTokens({ project, projectFacts }: Pick<RunState, 'project' | 'projectFacts'>): boolean {
  return project.receipts === true || projectFacts !== 'project';
}

/** Ends nodes that will not start again although their effects may have begun in a lost attempt. */
export function endLostEffects(run: Run, at: string, message: string, isMoved = (_node: number) => false): void {
  for (const [node] of [...numbered(run.execution?.mayHaveBegun)])
    if (run.execution?.status[node] === 'pending' && !isMoved(node))
      endNode(run, node, { status: 'cancelled', type: 'Cancelled', message }, at);
}

export function askAbout(
  run: Run,
  node: number,
  { status, ...failure }: NodeEnd,
  at: string,
  execution = run.execution,
  name = nodeId(node),
): void {
  if (execution === undefined || status === 'cancelled') return;
  failForNow(execution.progress, node, status, failure, waitFrom(at, run.state.options.answerDeadlineMs));
  note(run, at, 'node', `${name} ${status}: ${failure.message}`);
}

export function closeRun(run: Run, outcome: Outcome, at: string, reason?: string, killed?: Killed): void {
  const { state } = run;
  if (state.approval.phase === 'closed') return;
  const [first, ...more] = uncertainRemoved(run).map(uncertainText);
  const others = more.length === 0 ? first : `${first}, and ${more.length} more`;
  const why = [reason, others].filter((text) => text !== undefined).join('; ') || undefined;
  state.approval = close(state.approval, { outcome, ...given({ reason: why, killed }) });
  note(run, at, 'closed', why === undefined ? outcome : `${outcome}: ${why}`);
}

export function note<What extends TraceKind>(
  run: Run,
  at: string,
  what: What,
  text: string,
  said?: TracedMessage<What>,
): void {
  addEntry(run.state.trace, at, what, text, said);
  run.viewChanged = true;
}

export function knowsKeys({ state: { projectFacts, approval } }: Run): boolean {
  return projectFacts !== 'nothing' || approval.phase !== 'drafting';
}

/** Why no effect and no paid task may begin, as text. An unjudged message may be a pause, so it blocks too. */
export function pauseOf(run: Run): string | undefined {
  const { paused, parentPaused, inbox } = run.state;
  if (paused) return 'the run is paused';
  if (parentPaused) return 'the run whose task this is is paused';
  if (knowsKeys(run)) return undefined;
  return inbox.some(({ waitsFor }) => waitsFor === 'room' || waitsFor === 'activity') ? UNCHECKED : undefined;
}

const UNCHECKED = 'a message has come that is not checked yet, and may be a pause';

export function kill(run: Run, { by, comment }: Killed, at: string): void {
  closeRun(run, 'aborted', at, `killed by ${by}: ${comment}`, { by, comment });
}

/** Whether all running tasks are cancelled, not only the task of one node. */
export function cancelsEverything({ state: { cancelled, approval } }: Run): boolean {
  return cancelled || approval.closed?.killed !== undefined;
}

export function openExecution(
  planShape: PlanShape,
  concurrency: number,
  nodes = openNodes(planShape.inputs.length),
): Execution {
  const progress = reopenProgress(planShape.inputs, concurrency, planShape.after, nodes);
  return { planShape, ...nodes, progress, lanes: lanesOf(planShape) };
}

/** All nodes: first those that have not ended, then the others in the order of their ends. */
export function inOrderOfEnd({ endedAt, progress }: Execution): readonly number[] {
  return progress.status.map((_, node) => node).toSorted((a, b) => (endedAt[a] ?? 0) - (endedAt[b] ?? 0) || a - b);
}

const MAX_NAMED = 100;

export function uncertainRemoved({ state }: Run): readonly UncertainEffect[] {
  const all = Object.values(state.removedEffects ?? {});
  return all
    .filter(({ planShape, nodes }) => nodes.status[0] === 'running' || isUncertain({ planShape, ...nodes }, 0))
    .slice(0, MAX_NAMED)
    .map(({ node, revision, planShape }) => ({
      node,
      revision,
      digest: planShape.digest,
      summary: planShape.summaries[0]!,
    }));
}

/** Whether the node has ended and its effect may have happened. */
export function isUncertain(
  { planShape, status, scheduledAt }: Nodes & Pick<Execution, 'planShape'>,
  node: number,
): boolean {
  const now = status[node];
  if (now === 'failed') return effectOf(planShape, node) !== 'at-most-once';
  return now === 'uncertain' || ((now === 'cancelled' || now === 'skipped') && scheduledAt[node] !== undefined);
}

const WARNED = 5;

/** The warnings about the document and these nodes, one per line, for approvers. */
export function warningsOf(
  { warnings = {}, documentWarnings = [] }: PlanShape,
  nodes: Iterable<number>,
): readonly string[] {
  const places = [...nodes].filter((node) => warnings[node] !== undefined);
  const lines = [...documentWarnings, ...places.slice(0, WARNED).map((node) => `${nodeId(node)}: ${warnings[node]}`)];
  return places.length > WARNED ? [...lines, `${places.length - WARNED} more nodes have warnings`] : lines;
}

/** The replans of a new run: none. The first replan continues a conversation with the planner. */
export function openReplans({ notes, asked = 0 }: Partial<Pick<Planning, 'notes' | 'asked'>> = {}): Replans {
  return { plans: 0, classifications: 0, asked, made: 0, ...(notes !== undefined && { notes }) };
}

export function openState(startedAt: string): RunState {
  return {
    options: DEFAULT_OPTIONS,
    project: { inbox: false },
    projectFacts: 'nothing',
    parentPaused: false,
    made: 'plan',
    editors: [],
    editTokens: [],
    report: 'none',
    keysReadAt: startedAt,
    children: {},
    plannings: 0,
    usage: NO_USAGE,
    startedAt,
    firstRunId: '',
    approval: DRAFTING,
    paused: false,
    cancelled: false,
    startedEffects: {},
    questions: {},
    answered: {},
    defaults: [],
    inbox: [],
    messages: 0,
    pastReplies: {},
    publishedRoles: '',
    trace: openTrace(),
  };
}

export function waitFrom(at: string, ms: number): Wait {
  return { since: at, deadline: later(at, ms) };
}

export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

export function executorAt({ execution }: Run, node: number): NodeExecutor | undefined {
  return execution?.planShape.executors[execution.planShape.executorOf[node] ?? -1];
}
