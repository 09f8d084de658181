/**
 * The capabilities by which an agent works on plans before they run: keep artifacts and drafts, read them back, hand a
 * draft off, delegate a plan.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Drafts, StartRun } from './drafts/index.ts';
import { compilePlan, MODEL_LIMITS, wholeDocument, type JsonValue } from '../../plan/index.ts';
import { defineCapability, type Capability } from '../index.ts';
import { givenTo, kept, misfit, named, pick, withIssues, type Given } from './draft-arguments.ts';
import { entryCapabilities } from './entry-capabilities.ts';

/** The drafts that the capabilities read and write, and the function by which a hand-off starts a run. */
export interface DraftCapabilityOptions {
  readonly drafts: Drafts;
  readonly startRun: StartRun;
  /**
   * Waits for the end of a run that `delegate` has started, and gives its outcome and its results by key. With it
   * `delegate` gives them too, and waits up to 24 hours; without it `delegate` gives the id of the run at once.
   */
  readonly resultsOf?: (workflowId: string, signal: AbortSignal) => Promise<DelegatedResults>;
}

/** The end of a delegated run: a set is the list of its ids. */
export interface DelegatedResults {
  readonly outcome: string;
  /** Why it has none, where it failed. */
  readonly message?: string;
  readonly results: Readonly<Record<string, JsonValue>>;
}

const text = z.string().optional();
const json = z.unknown().optional();

const UNIQUE_DIGITS = 16;
/** Milliseconds that a delegated run may take, its approval included: as long as that may wait by default. */
const DELEGATED_MS = 86_400_000;

/**
 * The capabilities by which an agent works on plans before they run:
 * `saveArtifact`, `saveDraft`, `requestBuild` and `delegate`, and to read `listEntries` and `getEntry` (Pathfinder:
 * planning tools). A repeated attempt at a task saves once and starts one run. Saving has the effect `read`: it keeps words
 * in the conversation and starts nothing, so that no person is asked (Pathfinder: drafts). The runs that are started ask
 * for their own approval. Arguments that do not fit fail with `REPLANNING`: the same again cannot help.
 * @example defineConfig({ capabilities: [search, ...draftCapabilities({ drafts: createDrafts(store), startRun })] });
 */
export function draftCapabilities({ drafts, startRun, resultsOf }: DraftCapabilityOptions): readonly Capability[] {
  const saveArtifact = defineCapability({
    name: 'saveArtifact',
    description: 'Keeps what was found out or is proposed, before anything runs: a title, a summary, assumptions.',
    guide: {
      when: 'Something was found out, assumed or proposed that a later turn will need, and nothing is to run yet.',
      examples: ['saveArtifact { "conversation": "reef-7", "title": "Two tracks", "assumptions": ["hg19"] }'],
    },
    input: z.strictObject({
      ...named(['conversation', 'summary'], text),
      ...named(['proposedPlan'], json),
      title: text,
      assumptions: z.array(z.unknown()).optional(),
      parameters: z.record(z.string(), z.unknown()).optional(),
      by: text,
    }),
    output: 'value',
    effect: 'read',
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
    guide: {
      when: 'The approach is agreed and takes the form of a plan, or a saved plan is to be changed: then change the smallest subtree.',
      examples: [
        'saveDraft { "conversation": "reef-7", "goal": "Find genes", "plan": { "task": "Search" }, "base": 1 }',
      ],
    },
    input: z.strictObject({
      ...named(['conversation', 'goal', 'notes'], text),
      ...named(['plan'], json),
      draft: text,
      base: z.int().min(0).optional(),
      by: text,
    }),
    output: 'value',
    effect: 'read',
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
    guide: {
      when: 'The person has confirmed that this draft is to run. The run asks for its own approval.',
      examples: ['requestBuild { "conversation": "reef-7", "draft": "delegation_draft" }'],
    },
    input: z.strictObject({
      ...named(['conversation', 'goal', 'draft', 'instructions'], text),
      ...named(['plan'], json),
      revision: z.int().min(1).optional(),
      by: text,
    }),
    output: 'value',
    effect: 'idempotent',
    reads: ['later entries of the conversation'],
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
    description:
      resultsOf === undefined
        ? 'Starts a run of a plan for a goal, without saving it as a draft.'
        : 'Carries out a plan for a goal as a run of its own, without saving it as a draft, and gives its results.',
    guide: {
      when: 'A part of the task is a plan of its own that nobody will want to change first.',
      examples: ['delegate { "goal": "Find genes", "plan": { "task": "Search" } }'],
    },
    input: z.strictObject({ ...named(['goal'], text), ...named(['plan'], json) }),
    output: 'value',
    effect: 'idempotent',
    ...(resultsOf !== undefined && { timeout: { startToCloseMs: DELEGATED_MS, scheduleToCloseMs: 2 * DELEGATED_MS } }),
    async execute(task) {
      const { goal, plan } = givenTo(task.arguments);
      const document = wholeDocument(plan, goal);
      const compiled = compilePlan(document, { limits: MODEL_LIMITS });
      if (!compiled.ok) throw withIssues('the plan has errors', compiled.issues);
      const { goal: own, digest } = compiled.plan;
      if (goal !== undefined && own !== goal.trim()) {
        throw misfit(`the goal is ${JSON.stringify(goal)}, and the plan has the goal ${JSON.stringify(own)}; give one`);
      }
      const once = createHash('sha256').update(task.idempotencyKey).digest('hex').slice(0, UNIQUE_DIGITS);
      const started = await startRun(document, once);
      if (!started.ok) throw withIssues('the plan has errors', started.issues);
      const { workflowId } = started.run;
      task.heartbeat({ waitsForRun: workflowId });
      const end = await resultsOf?.(workflowId, task.signal);
      return { workflowId, digest, ...end };
    },
  });

  return [saveArtifact, saveDraft, requestBuild, delegate, ...entryCapabilities(drafts)];
}

/** A repeated attempt saves once, and the plan of an agent is held to the limits of models. */
function asModel({ idempotencyKey }: { readonly idempotencyKey: string }) {
  return { idempotencyKey, limits: MODEL_LIMITS };
}
