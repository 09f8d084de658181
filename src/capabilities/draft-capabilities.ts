/** What an agent does with plans before they run: keep artifacts and drafts, hand a draft off, delegate a plan. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DraftAnswer, Drafts, StartRun } from '../drafts/index.ts';
import { compilePlan, MODEL_LIMITS, wholeDocument, type JsonValue, type PlanIssue } from '../plan/index.ts';
import { planWorkflowId } from '../contract/index.ts';
import { CapabilityError } from './capability-error.ts';
import { defineCapability, type Capability } from './capability.ts';

export interface DraftCapabilityOptions {
  readonly drafts: Drafts;
  readonly startRun: StartRun;
}

/** Our name of a field, and those that the sources have for it. */
const OTHER_NAMES = {
  conversation: ['conversationId', 'conversation_id'],
  draft: ['delegationPlanArtifactId', 'delegation_plan_artifact_id'],
  goal: ['delegationGoal', 'delegation_goal'],
  instructions: ['additionalInstructions', 'additional_instructions'],
  notes: ['notesMarkdown', 'notes_markdown'],
  plan: ['delegationPlan', 'delegation_plan'],
  proposedPlan: ['proposedStrategyPlan', 'proposed_strategy_plan'],
  summary: ['summaryMarkdown', 'summary_markdown'],
} as const;
type Field = keyof typeof OTHER_NAMES;
type NameOf<One extends Field> = One | (typeof OTHER_NAMES)[One][number];

/** Arguments by our names; what was not given is not there. */
interface Given {
  readonly conversation?: string;
  readonly draft?: string;
  readonly revision?: number;
  readonly base?: number;
  readonly goal?: string;
  readonly plan?: unknown;
  readonly notes?: string;
  readonly instructions?: string;
  readonly by?: string;
  readonly title?: string;
  readonly summary?: string;
  readonly assumptions?: readonly unknown[];
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly proposedPlan?: unknown;
}

const text = z.string().optional();
const json = z.unknown().optional();

/** Issues written out in a failure; the run shows its message to a person or to a model. */
const MAX_TOLD = 10;
const UNIQUE_DIGITS = 16;

/**
 * `saveArtifact`, `saveDraft`, `requestBuild` and `delegate` (Pathfinder: planning tools). A repeated attempt at a task
 * saves once and starts one run. The runs that are started ask for their own approval. What does not fit fails with
 * `REPLANNING`: the same again cannot help.
 * @example defineConfig({ capabilities: [search, ...draftCapabilities({ drafts: createDrafts(store), startRun })] });
 */
export function draftCapabilities({ drafts, startRun }: DraftCapabilityOptions): readonly Capability[] {
  const saveArtifact = defineCapability({
    name: 'saveArtifact',
    description: 'Keeps what was found out or is proposed, before anything runs: a title, a summary, assumptions.',
    input: z.strictObject({
      ...named(['conversation', 'summary'], text),
      ...named(['proposedPlan'], json),
      title: text,
      assumptions: z.array(z.unknown()).optional(),
      parameters: z.record(z.string(), z.unknown()).optional(),
      by: text,
    }),
    output: 'value',
    effect: 'idempotent',
    async execute(task) {
      const { conversation = '', ...given } = givenTo(task.arguments);
      const fields = pick(given, ['title', 'summary', 'assumptions', 'parameters', 'proposedPlan']);
      const options = { idempotencyKey: task.idempotencyKey, ...pick(given, ['by']) };
      const { id, number, title } = kept(await drafts.saveArtifact(conversation, fields, options)).entry;
      return { id, number, title };
    },
  });

  const saveDraft = defineCapability({
    name: 'saveDraft',
    description: 'Saves a revision of a plan that is being worked on, and says what is wrong with the plan.',
    input: z.strictObject({
      ...named(['conversation', 'goal', 'notes'], text),
      ...named(['plan'], json),
      draft: text,
      base: z.int().min(0).optional(),
      by: text,
    }),
    output: 'value',
    effect: 'idempotent',
    async execute(task) {
      const { conversation = '', ...given } = givenTo(task.arguments);
      const fields = pick(given, ['goal', 'plan', 'notes']);
      const options = { ...asModel(task), ...pick(given, ['draft', 'base', 'by']) };
      const saved = drafts.saveDraft(conversation, fields, options);
      const { id, number, revision, goal, digest, issues } = kept(await saved).entry;
      const told = issues as unknown as JsonValue;
      return { id, number, revision, goal, ...(digest !== undefined && { digest }), issues: told };
    },
  });

  const requestBuild = defineCapability({
    name: 'requestBuild',
    description: 'Starts a run of a saved draft, or saves the plan that is given and starts a run of it.',
    input: z.strictObject({
      ...named(['conversation', 'goal', 'draft', 'instructions'], text),
      ...named(['plan'], json),
      revision: z.int().min(1).optional(),
      by: text,
    }),
    output: 'value',
    effect: 'idempotent',
    async execute(task) {
      const { conversation = '', plan, ...request } = givenTo(task.arguments);
      let which: Given = request;
      if (plan !== undefined) {
        if (request.revision !== undefined) throw misfit('give a plan or the revision of a draft, not both');
        const options = { ...asModel(task), ...pick(request, ['draft', 'by']) };
        const fields = { plan, ...pick(request, ['goal']) };
        const { id, revision } = kept(await drafts.saveDraft(conversation, fields, options)).entry;
        which = { ...request, draft: id, revision };
      }
      const handedOff = drafts.handOff(conversation, { ...which, limits: MODEL_LIMITS }, startRun);
      const { workflowId, digest, draft, revision } = kept(await handedOff).entry;
      return { workflowId, digest, draft, revision };
    },
  });

  const delegate = defineCapability({
    name: 'delegate',
    description: 'Starts a run of a plan for a goal, without saving it as a draft.',
    input: z.strictObject({ ...named(['goal'], text), ...named(['plan'], json) }),
    output: 'value',
    effect: 'idempotent',
    async execute(task) {
      const { goal, plan } = givenTo(task.arguments);
      const document = wholeDocument(plan, goal);
      const compiled = compilePlan(document, { limits: MODEL_LIMITS });
      if (!compiled.ok) throw withIssues('the plan has errors', compiled.issues);
      const { goal: own, digest } = compiled.plan;
      if (goal !== undefined && own !== goal.trim()) {
        throw misfit(`the goal is ${JSON.stringify(goal)}, and the plan has the goal ${JSON.stringify(own)}; give one`);
      }
      const unique = createHash('sha256').update(task.idempotencyKey).digest('hex').slice(0, UNIQUE_DIGITS);
      const workflowId = planWorkflowId(own, unique);
      const started = await startRun(document, workflowId);
      if (!started.ok) throw withIssues('the plan has errors', started.issues);
      return { workflowId, digest };
    },
  });

  return [saveArtifact, saveDraft, requestBuild, delegate];
}

/** A repeated attempt saves once, and what an agent writes is held to the limits of models. */
function asModel({ idempotencyKey }: { readonly idempotencyKey: string }) {
  return { idempotencyKey, limits: MODEL_LIMITS };
}

/** The fields of a schema, under every name that they have. */
function named<One extends Field, Schema>(fields: readonly One[], schema: Schema): Record<NameOf<One>, Schema> {
  const names = fields.flatMap((field) => [field, ...OTHER_NAMES[field]]);
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<NameOf<One>, Schema>;
}

/** The arguments by our names. Two names of one field are refused, so that nothing is passed over. */
function givenTo(args: Readonly<Record<string, unknown>>): Given {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || value === null) continue;
    const field = FIELD_OF.get(name) ?? name;
    if (field in given) throw misfit(`${field} is given under two names, one of them ${name}; give one`);
    given[field] = value;
  }
  return given;
}

const FIELD_OF = new Map(
  Object.entries(OTHER_NAMES).flatMap(([field, names]) => names.map((name): [string, string] => [name, field])),
);

function pick<Name extends keyof Given>(given: Given, names: readonly Name[]): Pick<Given, Name> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name as Name))) as Pick<
    Given,
    Name
  >;
}

function kept<Answer>(answer: DraftAnswer<Answer>): { readonly ok: true } & Answer {
  if (answer.ok) return answer;
  throw answer.issues === undefined ? misfit(answer.message) : withIssues(answer.message, answer.issues);
}

function misfit(message: string): CapabilityError {
  return new CapabilityError('REPLANNING', message);
}

function withIssues(message: string, issues: readonly PlanIssue[]): CapabilityError {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const told = errors.slice(0, MAX_TOLD).map(({ code, path, message: what }) => `${code} at ${path}: ${what}`);
  const more = errors.length > told.length ? [`and ${errors.length - told.length} more`] : [];
  return misfit([message, ...told, ...more].join('\n'));
}
