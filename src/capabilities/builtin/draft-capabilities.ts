import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DraftError, ENTRY_KINDS, type Drafts, type Entry, type StartRun } from './drafts/index.ts';
import { draftDocument } from './drafts/create-drafts.ts';
import { FIELDS, ourNames } from './drafts/requests.ts';
import { MODEL_LIMITS, wholeDocument, type JsonValue, type PlanIssue } from '../../plan/index.ts';
import { quote, quoteId } from '../../plan/text/index.ts';
import { given } from '../../protocol/index.ts';
import { conversationResource, planResource } from '../../store/index.ts';
import { compileDocument } from '../compile-document.ts';
import { CapabilityError, defineCapability, type Capability } from '../index.ts';

/** The drafts that the capabilities read and write, and the function that starts a run. */
export interface DraftCapabilityOptions {
  readonly drafts: Drafts;
  readonly startRun: StartRun;
  /**
   * Waits for the end of a run that `delegate` started, and returns its outcome and results. If this function is set,
   * `delegate` waits up to 24 hours. Otherwise `delegate` returns the run's id at once.
   */
  readonly resultsOf?: ((workflowId: string, signal: AbortSignal) => Promise<DelegatedResults>) | undefined;
}

/** The end of a delegated run. In `results`, a set is the list of its ids. */
export interface DelegatedResults {
  readonly outcome: string;
  readonly message?: string;
  readonly results: Readonly<Record<string, JsonValue>>;
}

const MAX_ENTRIES = 50;
const MAX_ISSUES = 10;

const UNIQUE_DIGITS = 16;
/**
 * Maximum duration of a delegated run in ms, including its approval.
 * @bound the run of a plan that is delegated, its approval included @beyond the task fails; the run goes on
 */
const DELEGATED_MS = 86_400_000;

const text = z.string().optional();
const ofConversation = { conversation: text };
const saving = { ...ofConversation, by: text };
const revision = z.int().min(1).optional();
const STARTING = { output: 'value', effect: 'idempotent' } as const;
/** What these capabilities read although an approval of a plan does not cover it. */
const reads = ['later entries of the conversation'];

interface Saving extends Partial<Record<'conversation' | 'goal' | 'notes', string | undefined>> {
  readonly plan?: JsonValue | undefined;
}

/** Errors list names from the conversation, so what can fail with one reads the conversation too. */
const readsResource = ({ conversation = '' }: Saving) => conversationResource(conversation);
const READING = { output: 'value', effect: 'read', readsResource } as const;

/** The conversation, and the plan with which a later run may start. */
function savedIn({ conversation = '', goal, plan, notes }: Saving): readonly string[] {
  const saved = [conversationResource(conversation)];
  try {
    return [...saved, planResource(draftDocument(goal, plan, notes))];
  } catch {
    return saved;
  }
}

/**
 * The capabilities by which an agent works on plans before they run (Pathfinder: planning tools): `saveArtifact`,
 * `saveDraft`, `requestBuild`, `delegate`, `listEntries` and `getEntry`. A repeated attempt saves once and starts one
 * run. Saving has the effect `read`, so it needs no approval: it only stores text. Runs ask for their own approval.
 * Wrong arguments fail with `REPLANNING`.
 * @example defineConfig({ capabilities: [search, ...draftCapabilities({ drafts: createDrafts(store), startRun })] });
 */
export function draftCapabilities({ drafts, startRun, resultsOf }: DraftCapabilityOptions): readonly Capability[] {
  const saveArtifact = defineCapability({
    ...READING,
    name: 'saveArtifact',
    description: 'Keeps what was found out or is proposed, before anything runs: a title, a summary, assumptions.',
    guide: {
      when: 'Something was found out, assumed or proposed that a later turn will need, and nothing is to run yet.',
      examples: ['saveArtifact { "conversation": "reef-7", "title": "Two tracks", "assumptions": ["hg19"] }'],
    },
    input: argumentsOf({
      ...{ ...saving, ...FIELDS.artifact, assumptions: z.array(z.unknown()).optional() },
      parameters: z.record(z.string(), z.unknown()).optional(),
    }),
    writesResources: (args) => savedIn({ ...args, plan: args.proposedPlan }),
    async execute({ arguments: { conversation = '', by, ...fields }, idempotencyKey }) {
      const saved = await accepted(drafts.saveArtifact(conversation, fields, { idempotencyKey, by }));
      const { id, number, title } = saved.entry;
      return { id, number, title };
    },
  });

  const saveDraft = defineCapability({
    ...READING,
    name: 'saveDraft',
    description: 'Saves a revision of a plan that is being worked on, and says what is wrong with the plan.',
    guide: {
      when: 'The approach is agreed and takes the form of a plan, or a saved plan is to be changed: then change the smallest subtree.',
      examples: [
        'saveDraft { "conversation": "reef-7", "goal": "Find genes", "plan": { "task": "Search" }, "base": 1 }',
      ],
    },
    input: argumentsOf({ ...saving, ...FIELDS.draft, draft: text, base: z.int().min(0).optional() }),
    writesResources: savedIn,
    async execute(task) {
      const { conversation = '', draft, base, by, ...fields } = task.arguments;
      const saved = await accepted(drafts.saveDraft(conversation, fields, { ...asModel(task), draft, base, by }));
      const { id, number, revision: saves, goal, digest, issues } = saved.entry;
      return { id, number, revision: saves, goal, ...given({ digest }), issues: issues as unknown as JsonValue };
    },
  });

  const requestBuild = defineCapability({
    ...STARTING,
    name: 'requestBuild',
    description: 'Starts a run of a saved draft, or saves the plan that is given and starts a run of it.',
    guide: {
      when: 'The person has confirmed that this draft is to run. The run asks for its own approval.',
      examples: ['requestBuild { "conversation": "reef-7", "draft": "delegation_draft" }'],
    },
    input: argumentsOf({ ...saving, ...FIELDS.handOff, revision, plan: FIELDS.draft.plan }),
    reads,
    readsResource,
    writesResources: (args) => (args.plan === undefined ? [] : savedIn(args)),
    async execute(task) {
      const { conversation = '', plan, ...request } = task.arguments;
      let named = given(request);
      if (plan !== undefined) {
        if (named.revision !== undefined) throw misfit('give a plan or the revision of a draft, not both');
        const options = { ...asModel(task), draft: named.draft, by: named.by };
        const saved = await accepted(drafts.saveDraft(conversation, { plan, goal: named.goal }, options));
        named = { ...named, draft: saved.entry.id, revision: saved.entry.revision };
      }
      const started = await accepted(drafts.handOff(conversation, { ...named, limits: MODEL_LIMITS }, startRun));
      const { workflowId, digest, draft, revision: handedOff } = started.entry;
      return { workflowId, digest, draft, revision: handedOff };
    },
  });

  const delegate = defineCapability({
    ...STARTING,
    name: 'delegate',
    description:
      resultsOf === undefined
        ? 'Starts a run of a plan for a goal, without saving it as a draft.'
        : 'Carries out a plan for a goal as a run of its own, without saving it as a draft, and gives its results.',
    guide: {
      when: 'A part of the task is a plan of its own that nobody will want to change first.',
      examples: ['delegate { "goal": "Find genes", "plan": { "task": "Search" } }'],
    },
    input: argumentsOf({ goal: text, plan: FIELDS.draft.plan }),
    writesResources: ({ goal, plan }) => (plan === undefined ? [] : [planResource(wholeDocument(plan, goal))]),
    // Its plan may read anything.
    ...(resultsOf !== undefined && { untrusted: 'delegated run' }),
    ...(resultsOf !== undefined && { timeout: { startToCloseMs: DELEGATED_MS } }),
    async execute(task) {
      const { goal, plan } = task.arguments;
      const document = wholeDocument(plan, goal);
      const compiled = await compileDocument(document, { limits: MODEL_LIMITS }, task.signal);
      if (!compiled.ok) throw withIssues('the plan has errors', compiled.issues);
      const { goal: own, digest } = compiled.plan;
      if (goal !== undefined && own !== goal.trim()) {
        throw misfit(`the goal is ${quote(goal)}, and the plan has the goal ${quote(own)}; give one`);
      }
      const once = createHash('sha256').update(task.idempotencyKey).digest('hex').slice(0, UNIQUE_DIGITS);
      const started = await startRun(document, once);
      if (!started.ok) throw withIssues('the plan has errors', started.issues);
      const { workflowId } = started.run;
      task.heartbeat({ waitsForRun: workflowId });
      return { workflowId, digest, ...(await resultsOf?.(workflowId, task.signal)) };
    },
  });

  return [saveArtifact, saveDraft, requestBuild, delegate, ...entryCapabilities(drafts)];
}

function asModel({ idempotencyKey }: { readonly idempotencyKey: string }) {
  return { idempotencyKey, limits: MODEL_LIMITS };
}

function entryCapabilities(drafts: Drafts): readonly Capability[] {
  const listEntries = defineCapability({
    ...READING,
    name: 'listEntries',
    description:
      'What a conversation holds: artifacts, revisions of drafts, hand-offs and ends of runs, in order, without their contents.',
    guide: {
      when: 'Something may have been found out, drafted or handed off before, and its id or its place is not known.',
      examples: ['listEntries { "conversation": "reef-7", "kind": "draft", "limit": 5 }'],
    },
    input: argumentsOf({
      ...{ ...ofConversation, kind: z.enum(ENTRY_KINDS).optional() },
      limit: z.int().min(1).max(MAX_ENTRIES).optional(),
    }),
    usesGoal: false,
    reads,
    async execute({ arguments: { conversation = '', kind, limit = MAX_ENTRIES } }) {
      const { entries, total } = await accepted(drafts.list(conversation, { limit, kind }));
      const what = `the list of conversation ${quoteId(conversation)}`;
      return readable({ entries: entries.map(withoutConversation), total }, what, 'ask for fewer with "limit"');
    },
  });

  const getEntry = defineCapability({
    ...READING,
    name: 'getEntry',
    description:
      'One entry of a conversation with its contents: an artifact, a revision of a draft, a hand-off, or the end of a run.',
    guide: {
      when: 'The contents of an entry are needed whose id is known: the plan of a draft, the summary of an artifact.',
      examples: ['getEntry { "conversation": "reef-7", "id": "delegation_draft", "revision": 2 }'],
    },
    input: argumentsOf({ ...ofConversation, id: text, revision }),
    usesGoal: false,
    reads,
    async execute({ arguments: { conversation = '', id = '', revision: wanted } }) {
      const { entry } = await accepted(drafts.get(conversation, id, wanted));
      const what = `entry ${quoteId(id)} of conversation ${quoteId(conversation)}`;
      return readable(withoutConversation(entry), what, 'let a person look at it');
    },
  });

  return [listEntries, getEntry];
}

function withoutConversation(entry: Entry): JsonValue {
  const { conversation: _, ...fields } = entry;
  return { ...fields };
}

/** Rejects an entry that is too large for a model, since a person may save more than a model can read. */
function readable(value: JsonValue, what: string, next: string): JsonValue {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MODEL_LIMITS.bytes) return value;
  throw misfit(`${what} takes ${bytes} bytes, and at most ${MODEL_LIMITS.bytes} are read back; ${next}`);
}

/** Accepts fields under the names of this project and of Pathfinder. Models see only the names of this project. */
function argumentsOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(ourNames, z.strictObject(shape));
}

/** Turns a rejection of a draft into a failure with the issues, so that a planner can correct its request. */
function accepted<Answer>(asked: Promise<Answer>): Promise<Answer> {
  return asked.catch((error: unknown) => {
    throw error instanceof DraftError ? withIssues(error.message, error.issues ?? []) : error;
  });
}

function misfit(message: string): CapabilityError {
  return new CapabilityError('REPLANNING', message);
}

function withIssues(message: string, issues: readonly PlanIssue[]): CapabilityError {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const lines = errors.slice(0, MAX_ISSUES).map(({ code, path, message: what }) => `${code} at ${path}: ${what}`);
  const more = errors.length > lines.length ? [`and ${errors.length - lines.length} more`] : [];
  return misfit([message, ...lines, ...more].join('\n'));
}
