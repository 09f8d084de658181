import type { PlanningTrouble, Question } from '../protocol/index.ts';
import { compileDocument } from '../capabilities/compile-document.ts';
import { MODEL_LIMITS, planDocument, stepsDocument, type PlanIssue } from '../plan/index.ts';
import { settleFailure, trouble, type Planner, type Staged, type StageFailed } from './planner.ts';
import { writtenFormOf, readPlanReply, withKnownNames, type PlanReply, type WrittenDocument } from './form/index.ts';
import { quote } from '../plan/text/index.ts';
import type { ModelReply } from '../models/index.ts';
import type { PlannerNotes } from './notes.ts';
import { BASE_CHARACTERS, writeRequest, xmlRequest } from './prompts/index.ts';

export type Checked =
  | { readonly ok: true; readonly warnings?: readonly PlanIssue[] }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/**
 * Compiles a document under `MODEL_LIMITS` with the project's catalogue, and adds a step for the answer unless
 * `isStep`.
 */
export type Compile<Result extends Checked> = (
  document: WrittenDocument,
  options?: { readonly isStep: true },
  /** Repairs of the reply before the compile. They are reported with the compiler's warnings. */
  mended?: readonly PlanIssue[],
) => Promise<Result> | Result;

type WithoutModel<Result extends Checked> =
  | WrittenPlan<Result>
  | { readonly is: 'invalid'; readonly trouble: PlanningTrouble; readonly issues: readonly PlanIssue[] }
  | StageFailed;

type WriteOutcome<Result extends Checked> = WithoutModel<Result> | { readonly is: 'asks'; readonly question: Question };

export interface WrittenPlan<Result extends Checked> {
  readonly is: 'written';
  readonly compiled: Extract<Result, { ok: true }>;
  /** Remarks on other parts of the reply than its plan, the repairs, and the compiler's warnings. */
  readonly warnings: readonly PlanIssue[];
}

/** Has the model write a plan. If the reply has no plan, the next call says so. @throws ModelError to be retried */
export async function writePlan<Result extends Checked>(
  planner: Planner,
  notes: PlannerNotes,
  compile: Compile<Result>,
): Promise<Staged<WriteOutcome<Result>>> {
  const { capabilities, agents, prompts, format, defaultExecutor } = planner;
  const { selected, revise } = notes;
  if (revise !== undefined && revise.base.length > BASE_CHARACTERS) {
    return { notes, outcome: { is: 'failed', trouble: trouble('CRITICAL', TOO_LONG_TO_REVISE) } };
  }
  const offered = selected.length === 0 ? capabilities : capabilities.filter(({ name }) => selected.includes(name));
  const hasDefault = defaultExecutor !== undefined;
  const instructed = { capabilities: offered, agents, prompts, hasDefault };
  const request = (format === 'xml' ? xmlRequest : writeRequest)(notes, instructed);
  let reply: ModelReply;
  try {
    reply = await planner.ask(request, 'write', planner.onText);
  } catch (error) {
    const { trouble: problem, isReply } = settleFailure(planner, error);
    return isReply ? noPlan(notes, '', problem, []) : { notes, outcome: { is: 'failed', trouble: problem } };
  }
  const text = reply.text === '' && reply.value !== undefined ? JSON.stringify(reply.value) : reply.text;
  const unfinished = UNFINISHED[reply.finish];
  if (unfinished !== undefined) return noPlan(notes, text, trouble('REPLANNING', unfinished(text)), []);
  const read = readPlanReply(reply);
  if (read.is === 'question') {
    const { question } = read;
    const problem = planner.questionProblem?.(question);
    if (problem !== undefined) return noPlan(notes, text, trouble('REPLANNING', `- $.question: ${problem}`), []);
    return { notes: withQuestion(notes, question), outcome: { is: 'asks', question } };
  }
  const found = read.is === 'nothing' ? { issues: read.issues } : await foundIn(read, notes);
  if (!('document' in found)) return noPlan(notes, text, troubleFrom(found.issues), found.issues);
  const { plan: document, changed } = withKnownNames(found.document, planner.capabilities);
  const mended = [...found.mended, ...changed];
  const compiled = await compile(document, undefined, mended);
  if (!compiled.ok) return noPlan(notes, text, troubleFrom(compiled.issues), compiled.issues);
  // The plan shows an added answer step, so its warning is omitted.
  const isReported = ({ severity, code }: PlanIssue) => severity === 'warning' && code !== 'added-respond';
  const seen = compiled.warnings?.filter(isReported) ?? [];
  return asWritten(notes, document, compiled, [...mended, ...seen]);
}

type Found =
  | { readonly document: WrittenDocument; readonly mended: readonly PlanIssue[] }
  | { readonly issues: readonly PlanIssue[] };

async function foundIn(read: Extract<PlanReply, { is: 'document' | 'xml' }>, notes: PlannerNotes): Promise<Found> {
  const { goal, revise, context } = notes;
  const options = { contextKeys: context.map(({ key }) => key), limits: MODEL_LIMITS };
  if (read.is === 'xml') {
    const plan = await compileDocument(read.text, { format: 'xml', ...options });
    if (!plan.ok) return plan;
    const { goal: _, ...document } = stepsDocument(plan.plan)!;
    return { document: { goal, ...document }, mended: [...read.ignored, ...plan.warnings] };
  }
  const { ignored: mended } = read;
  const document = { goal, ...read.document };
  const { nodes } = read.document;
  if (Array.isArray(nodes) && nodes.length === 0) {
    const [code, severity] =
      revise === undefined ? (['added-respond', 'warning'] as const) : (['missing-plan', 'error'] as const);
    const issue: PlanIssue = { code, severity, path: '$.nodes', message: NO_NODES[severity] };
    return severity === 'error' ? { issues: [issue] } : { document: directDocument(notes), mended: [...mended, issue] };
  }
  if (nodes === undefined || revise?.form !== 'tree') return { document, mended };
  // Writes the revision of a tree as a tree if possible, since as steps its nodes would count as new.
  const plan = await compileDocument(document, { format: 'tree', ...options });
  const isRow = plan.ok && plan.plan.combines.length === 0 && writtenFormOf(plan.plan) === 'tree';
  const tree = isRow ? planDocument(plan.plan) : undefined;
  return { document: tree === undefined ? document : { ...tree }, mended };
}

/** The messages about an empty list of nodes. As in Osprey, this plan is an answer from what is known. */
const NO_NODES = {
  warning: 'The list has no nodes: the plan is one "respond", which answers from what is known.',
  error: 'The list has no nodes. Write at least one task.',
};

const FALLBACK_MINUTES = 5;

/** Makes a plan of one step for the first agent, or the default executor (Calute: fallback plan). It needs approval. */
export async function planFallback<Result extends Checked>(
  planner: Planner,
  notes: PlannerNotes,
  compile: Compile<Result>,
): Promise<Staged<WithoutModel<Result>>> {
  const document = fallbackDocument(planner, notes.goal);
  if (document === undefined) return { notes, outcome: { is: 'failed', trouble: trouble('CRITICAL', NO_AGENTS) } };
  return compilePlanOf(notes, document, (one) => compile(one, { isStep: true }));
}

/** Makes a plan of one `respond` step, for a goal that can be answered at once. */
export async function planDirect<Result extends Checked>(
  notes: PlannerNotes,
  compile: Compile<Result>,
): Promise<Staged<WithoutModel<Result>>> {
  return compilePlanOf(notes, directDocument(notes), compile);
}

const NO_AGENTS =
  'There are no agents configured, so that no fallback plan can be made. Declare one with defineAgent under "agents" of the configuration, or name a capability in "tasks.default".';

export function fallbackDocument(
  { agents, defaultExecutor }: Pick<Planner, 'agents' | 'defaultExecutor'>,
  goal: string,
): WrittenDocument | undefined {
  const [first] = agents;
  const facts = { goal, complexity: 'low', estimated_time: FALLBACK_MINUTES };
  const step = { step_id: 1, action: 'execute_objective', task_objective: goal };
  if (first !== undefined) return { ...facts, steps: [{ ...step, agent: first.name, arguments: { objective: goal } }] };
  // A capability defines its own arguments, so it gets only the task's text.
  if (defaultExecutor !== undefined)
    return { ...facts, steps: [{ ...step, [defaultExecutor.kind]: defaultExecutor.name }] };
  return undefined;
}

export function directDocument({ goal, task }: Pick<PlannerNotes, 'goal' | 'task'>): WrittenDocument {
  return { goal, steps: [{ context_key: 'user_response', capability: 'respond', task_objective: task }] };
}

async function compilePlanOf<Result extends Checked>(
  notes: PlannerNotes,
  document: WrittenDocument,
  compile: Compile<Result>,
): Promise<Staged<WithoutModel<Result>>> {
  const compiled = await compile(document);
  if (compiled.ok) return asWritten(notes, document, compiled, []);
  return { notes, outcome: { is: 'invalid', trouble: troubleFrom(compiled.issues), issues: compiled.issues } };
}

function asWritten<Result extends Checked>(
  notes: PlannerNotes,
  document: WrittenDocument,
  result: Result,
  warnings: readonly PlanIssue[],
): Staged<WrittenPlan<Result>> {
  const compiled = result as Extract<Result, { ok: true }>;
  return { notes: { ...notes, written: document }, outcome: { is: 'written', compiled, warnings } };
}

const TOO_LONG_TO_REVISE = `The open plan takes more than ${BASE_CHARACTERS} characters, and a model would have to write all of it again. Edit it by hand.`;

const UNFINISHED: { readonly [finish in ModelReply['finish']]?: (text: string) => string } = {
  length: () => 'The reply was cut off, since it is longer than may be written. Write a smaller plan.',
  refusal: (text) => `The reply is a refusal and no plan: ${quote(text)}`,
  'content-filter': () => 'The reply was stopped by a content filter. Say the same in other words.',
};

function withQuestion(notes: PlannerNotes, question: Question): PlannerNotes {
  return { ...notes, turns: [...notes.turns, { is: 'question', question }] };
}

function noPlan(
  notes: PlannerNotes,
  reply: string,
  problem: PlanningTrouble,
  issues: readonly PlanIssue[],
): Staged<Extract<WriteOutcome<Checked>, { is: 'invalid' }>> {
  const turns = [...notes.turns, { is: 'try', reply, trouble: problem.message, issues } as const];
  return { notes: { ...notes, turns }, outcome: { is: 'invalid', trouble: problem, issues } };
}

/** Classifies issues. If a name is unknown (Osprey: hallucinated capabilities), the selection may be wrong. */
function troubleFrom(issues: readonly PlanIssue[]): PlanningTrouble {
  const isOfNames = issues.some(
    ({ code, severity }) => severity === 'error' && (code === 'unknown-capability' || code === 'unknown-agent'),
  );
  return trouble(isOfNames ? 'RECLASSIFICATION' : 'REPLANNING', issueLines(issues));
}

/** Maximum number of issues of a reply that a model sees. Correcting these may remove others. */
const MAX_LISTED = 20;

export function issueLines(issues: readonly PlanIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  // A node that two others share is read twice, so its issues may occur twice.
  const lines = [...new Set(errors.map(({ path, message }) => `- ${path}: ${message}`))];
  const more = lines.length - MAX_LISTED;
  return [...lines.slice(0, MAX_LISTED), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}
