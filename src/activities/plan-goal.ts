import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { readAnswerSchema } from '../capabilities/index.ts';
import {
  given,
  type CompiledDocument,
  type Deferral,
  PLAN_LINE_CHARACTERS,
  type PlanLine,
  type PlanningOutcome,
  type PlanningReply,
  type PlanningRequest,
  type ReportReply,
  type ReportRequest,
  type ProjectPolicy,
  NO_USAGE,
  RunFailureError,
} from '../protocol/index.ts';
import { contextRefs, type JsonValue, type PlanIssue } from '../plan/index.ts';
import {
  reportFailure,
  runStage,
  createFeedback,
  writtenFormOf,
  openNotes,
  readConversation,
  reopenNotes,
  withAnswers,
  writeNodes,
  type ConversationSources,
  type Planner,
  type PlannerNotes,
} from '../planner/index.ts';
import { conversationResource, digestOfRef, planResource, readResult, type ResultStore } from '../store/index.ts';
import type { Stores } from './stores.ts';
import { cutCharacters, oneLine } from '../plan/text/index.ts';
import { report } from './attempt-wrappers.ts';
import { compileAndStore } from './compile-plan.ts';
import type { EffectGate } from './gate.ts';
import { issuesOfLost } from './same-nodes.ts';
import { deferOnModelOutage, limitsOfModel, openModelOf, journalKey, type ProjectModels } from './models.ts';
import type { Revision } from './revision.ts';
import { markResources, untrustedIn } from './untrusted.ts';

export interface PlannerSurroundings {
  readonly registry: CapabilityRegistry;
  readonly stores: Stores;
  readonly store: ResultStore;
  readonly models: ProjectModels | undefined;
  readonly conversationOf: ((id: string) => ConversationSources) | undefined;
  readonly keepDraft: ((conversation: string, document: unknown, key: string) => Promise<void>) | undefined;
  readonly project: ProjectPolicy;
  readonly gate: EffectGate;
  revisionFor(ref: string): Promise<Revision>;
}

/** Maximum number of lines in a heartbeat. Only the newest lines are sent. */
const FEEDBACK_LINES = 20;

export function planGoal(
  request: PlanningRequest,
  surroundings: PlannerSurroundings,
): Promise<PlanningReply | Deferral> {
  const { patienceMs } = surroundings.models?.planner ?? {};
  return deferOnModelOutage(patienceMs, (isFinal) => stageOf(request, surroundings, isFinal));
}

/** Runs a stage. @param isFinal if true, no retry follows, so a retryable failure becomes the outcome */
async function stageOf(
  request: PlanningRequest,
  surroundings: PlannerSurroundings,
  isFinal: boolean,
): Promise<PlanningReply> {
  const { registry, store, stores, models, project, keepDraft } = surroundings;
  const { stage, conversation, revise } = request;
  const base = revise === undefined ? undefined : await surroundings.revisionFor(revise.base);
  const notes = await notesFor(request, surroundings, base);
  // The goal runs step by step. The loop, which may use a policy without a model, finds the task itself.
  if (stage === 'extract' && request.unsaid === true && project.mode === 'reactive') {
    const kept = await storeNotes(notes, store);
    return { stage, notes: kept, usage: NO_USAGE, project, outcome: { is: 'extracted' } };
  }
  if (models === undefined) throw new RunFailureError('InvalidInput', NO_MODEL);
  const paid = openModelOf(models.planner, request, surroundings);
  const feedback = feedbackByHeartbeat();
  if (request.notes === undefined) for (const text of notes.ignored ?? []) feedback.tell({ text });
  const planner: Planner = {
    ask: (asked, purpose, onText) => paid.ask(asked, purpose, onText),
    capabilities: registry.offered,
    agents: registry.agents.flatMap((name) => registry.agent(name) ?? []),
    ...(registry.defaultExecutor !== undefined && { defaultExecutor: registry.defaultExecutor }),
    prompts: models.planner.prompts,
    format: models.planner.format,
    onText: feedback.hear,
    questionProblem: ({ schema }) => problemOfSchema(schema),
    isLastAttempt: isFinal,
  };
  const untrusted = request.untrusted ?? (await untrustedIn(stores, conversation));
  const compile = (document: unknown, step?: object, mended?: readonly PlanIssue[]) =>
    compiled(document, { ...request, ...given({ untrusted }) }, surroundings, base, {
      results: refsOf(notes),
      isForModel: true,
      ...(step === undefined && { isWhole: true }),
      ...(mended !== undefined && { mended }),
    });
  const staged = await runStage(planner, notes, request, compile);
  const { outcome } = staged;
  const replied = { stage, notes: await storeNotes(staged.notes, store), usage: paid.usage, project };
  if (outcome.is !== 'written') return { ...replied, outcome: outcome satisfies PlanningOutcome };
  if (conversation !== undefined && stage === 'write') {
    const { written } = staged.notes;
    if (untrusted !== undefined)
      await markResources(stores, [conversationResource(conversation), planResource(written)]);
    await keepDraft?.(conversation, written, journalKey(request));
  }
  const { ok: _, ...sent } = outcome.compiled;
  return { ...replied, outcome: { is: 'compiled', ...sent, ...(stage === 'direct' && { answers: true as const }) } };
}

/** Explains a failed run to people: the facts and, if there is a model, the model's summary. */
export async function explainFailure(request: ReportRequest, surroundings: PlannerSurroundings): Promise<ReportReply> {
  const { models } = surroundings;
  const paid = models && openModelOf(models.planner, request, surroundings);
  const { text } = await reportFailure(request, paid?.ask, models?.planner.prompts);
  return { report: text, usage: paid?.usage ?? NO_USAGE };
}

const NO_MODEL =
  '$.plan: only a goal was given, and this worker has no model to plan with; set "model" in its configuration (docs/planning.md), or send a plan beside the goal';

async function compiled(
  document: unknown,
  { firstRunId, limits, ruleCapabilities, reuse, revise, ...request }: PlanningRequest,
  { registry, store, stores }: PlannerSurroundings,
  base: Revision | undefined,
  beside: Parameters<typeof compileAndStore>[4],
): Promise<CompiledDocument> {
  const { context, conversation, untrusted } = request;
  const toCompile = {
    source: { document },
    firstRunId,
    limits: limitsOfModel(limits),
    ...given({ context, conversation, untrusted, ruleCapabilities, reuse }),
  };
  const reply = await compileAndStore(toCompile, registry, { store, stores }, base, beside);
  const issues = reply.ok && base !== undefined ? issuesOfLost(reply, base, revise?.lost ?? []) : [];
  return issues.length === 0 ? reply : { ok: false, issues };
}

async function notesFor(
  request: PlanningRequest,
  { store, conversationOf }: PlannerSurroundings,
  base: Revision | undefined,
): Promise<PlannerNotes> {
  const { goal, notes: ref, answers = [], conversation: id, context = {}, revise } = request;
  const { feedback = '', lost } = revise ?? {};
  const about = base && {
    base: writeNodes(base.plan),
    form: writtenFormOf(base.plan),
    feedback,
    ...(lost && { lost }),
  };
  if (ref !== undefined) {
    const kept = JSON.parse(Buffer.from(await store.get(ref)).toString('utf8')) as PlannerNotes;
    const notes = about === undefined ? kept : reopenNotes(kept, goal, about);
    const values = await Promise.all(answers.map(async (answer) => valueAt(answer.ref, store)));
    return values.length === 0 ? notes : withAnswers(notes, values);
  }
  const sources = id === undefined ? {} : (conversationOf?.(id) ?? {});
  const { conversation, ignored } = await readConversation(sources);
  return openNotes(goal, {
    conversation: withResultsOfPlan(conversation, base),
    ...(ignored.length > 0 && { ignored }),
    context: Object.entries(context).map(([key, value]) => ({ key, ...typeOf(value) })),
    ...(about !== undefined && { revise: about }),
  });
}

/** The open plan reads the same results as before, even if a later run stored another result under the same key. */
function withResultsOfPlan({ results, ...said }: PlannerNotes['conversation'], base: Revision | undefined) {
  if (results === undefined) return said;
  const refs = base === undefined ? {} : contextRefs(base.plan);
  const refOf = (key: string) => (Object.hasOwn(refs, key) ? { ref: refs[key]! } : {});
  return { ...said, results: results.map((one) => ({ ...one, ...refOf(one.key) })) };
}

function refsOf({ context }: PlannerNotes): Readonly<Record<string, string>> {
  return Object.fromEntries(context.flatMap(({ key, ref }) => (ref === undefined ? [] : [[key, ref] as const])));
}

/** The type of an external value, which the value may name: `{ "type": "...", "value": ... }`. */
function typeOf(value: unknown): { readonly type?: string } {
  const type =
    typeof value === 'object' && value !== null && 'value' in value && 'type' in value ? value.type : undefined;
  return typeof type === 'string' ? { type } : {};
}

async function valueAt(ref: string, store: ResultStore): Promise<JsonValue | undefined> {
  const result = await readResult(store, ref);
  return result.kind === 'value' ? result.value : undefined;
}

async function storeNotes(notes: unknown, store: ResultStore): Promise<string> {
  return digestOfRef(await store.put(Buffer.from(JSON.stringify(notes), 'utf8')));
}

function problemOfSchema(schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  const read = readAnswerSchema(schema);
  return read.ok
    ? undefined
    : read.problems.map(({ path, message }) => `${['schema', ...path].join('.')}: ${message}`).join('; ');
}

/** Sends the lines of an unfinished plan with heartbeats, where clients read them. */
function feedbackByHeartbeat() {
  const lines: Record<string, string>[] = [];
  return { hear: createFeedback(({ text, key, task }) => tell(given({ text, key, task }))), tell };

  function tell(line: PlanLine): void {
    const texts: [name: string, text: string][] = Object.entries(line);
    lines.push(
      Object.fromEntries(texts.map(([name, text]) => [name, cutCharacters(oneLine(text), PLAN_LINE_CHARACTERS)])),
    );
    if (lines.length > FEEDBACK_LINES) lines.shift();
    report({ feedback: [...lines] });
  }
}
