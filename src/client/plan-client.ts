/** How a program starts runs and finds them again. */

import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  compilePlan,
  outlineOf,
  type Catalogue,
  type CompiledPlan,
  type CompileResult,
  type OutlineOptions,
  type PlanDocument,
} from '../plan/index.ts';
import { outlineMarkdown } from '../plan/outline/index.ts';
import type { Store } from '../store/index.ts';
import {
  DEFAULT_TASK_QUEUE,
  given,
  PLAN_WORKFLOW,
  planWorkflowId,
  readRunName,
  type RunOptions,
  type RunSettings,
  type RunStatus,
} from '../protocol/index.ts';
import { lastExecution } from '../protocol/executions.ts';
import { isEncrypting } from '../protocol/encryption/index.ts';
import { parsePlanInput } from '../protocol/read-input.ts';
import { cutBytes, cutLines, oneLine } from '../plan/text/index.ts';
import { boundedBy } from './ask-run.ts';
import { ClientError, noRun, type ClientAddress } from './client-error.ts';
import { checkClosed, planOfRun, type LocatedRun } from './closed-run.ts';
import { documentToSend, type StartOptions, type Started, addressOf } from './document.ts';
import { readInbox, type Inbox, type InboxOptions } from './inbox.ts';
import { askRuns, type UnreachableRun } from './reach/index.ts';
import { createRunHandle } from './create-run-handle.ts';
import type { RunHandle } from './run-handle.ts';
import type { Signer } from './say.ts';

/** The options of `createPlanClient`: the connection, the result store that the workers use, and the task queue. */
export interface PlanClientOptions {
  readonly client: Client;
  /** Named where the server does not answer. Default: the one that the client's connection has. */
  readonly address?: string | undefined;
  /** Default: the client's. */
  readonly namespace?: string | undefined;
  readonly store: Store;
  /** Default `planwright`. */
  readonly taskQueue?: string | undefined;
  /** With it a plan is checked against the project's executors before a run exists. A function is called for the first plan. */
  readonly catalogue?: (Catalogue | (() => Promise<Catalogue>)) | undefined;
  /** References of the results that a conversation has, by key: with it the plan of a run of that conversation may name them. */
  readonly resultRefs?: ((conversation: string) => Promise<Readonly<Record<string, string>>>) | undefined;
  /** With it every message to a run is signed, and every start that says who starts it. Default: none is. */
  readonly signer?: Signer | undefined;
}

/** A run, with the task queue on which it waits. */
export interface RunPlace {
  readonly workflowId: string;
  readonly taskQueue: string;
}

/** How runs stand, by their ids, and those that did not answer. */
export interface Statuses {
  readonly statuses: ReadonlyMap<string, RunStatus>;
  readonly unreachable: readonly UnreachableRun[];
}

/** Starts runs, finds them again, and lists the items that wait for a person. `createPlanClient` makes one. */
export interface PlanClient {
  /** Starts a run of a plan document (text, bytes or parsed JSON). A plan with errors starts nothing. */
  start(document: PlanDocument, options?: StartOptions): Promise<Started>;
  /**
   * Starts a run of a goal alone: its worker plans it, or decides it step by step, as `options.mode` says.
   * @throws ClientError `invalid-input` that names what does not fit
   */
  startGoal(goal: string, options?: StartOptions): Promise<RunHandle>;
  /**
   * Starts the plan that a closed run ended with anew, with its options, and takes over what it has finished
   * (`options.reuse`). Needs a worker, which tells the plan.
   * @throws ClientError `no-run`, `no-worker`, and `invalid-input` where the run is open or its plan is not known as a document
   */
  rerun(workflowId: string, options?: StartOptions): Promise<Started>;
  run(workflowId: string): RunHandle;
  /**
   * @param name of a run: a workflow id, whose newest run is meant, or `ID@DIGITS` with the last 8 digits of a chain
   * @throws ClientError `no-run` where the server knows no such run of the id
   */
  find(name: string): Promise<RunHandle>;
  /** The items that the running runs of the namespace wait for a person to answer, the oldest first. */
  inbox(options?: InboxOptions): Promise<Inbox>;
  /** How these runs stand, many asked at once; those of a task queue on which nobody answers are named within seconds. */
  statuses(runs: readonly RunPlace[]): Promise<Statuses>;
}

/**
 * How long the server may take to accept a run; it takes milliseconds.
 * @bound [operating] starting a run
 * @beyond `no-server`
 */
const START_MS = 10_000;

/**
 * The text that the Web UI shows beside a run, also without a worker. The server takes 400 and 20,000 bytes; the
 * history keeps both.
 */
const SUMMARY_BYTES = 400;

const DETAILS_BYTES = 4000;

const DETAILS_LINE_BYTES = 500;

const DETAILS_ROWS = 40;

/**
 * A program's way to the runs of one namespace. `store` is the one that the workers have.
 * @example
 * const plans = createPlanClient({ client, store: createFileStore('.planwright/results') });
 * const started = await plans.start(document);
 * if (started.ok) await started.run.decide({ kind: 'approve', digest: started.plan.digest, by: 'operator' });
 */
export function createPlanClient(options: PlanClientOptions): PlanClient {
  const { client, store, taskQueue = DEFAULT_TASK_QUEUE, catalogue, signer, resultRefs } = options;
  const { address = addressOf(client), namespace = client.options.namespace } = options;
  const place: ClientAddress = { address, namespace, taskQueue };
  const handleOf = (workflowId: string, queue = taskQueue, execution?: string) =>
    createRunHandle(given({ client, store, place: { ...place, taskQueue: queue }, signer }), workflowId, execution);

  return {
    async start(document, { options: runOptions, ...beginning } = {}) {
      const compiled = await compile(document, runOptions);
      if (!compiled.ok) return compiled;
      const { reuse } = runOptions ?? {};
      if (reuse !== undefined) await checkClosed(handleOf(reuse));
      const { plan, warnings, executors } = compiled;
      const source = await documentToSend(document, store);
      const shown = { goal: plan.goal, staticDetails: detailsOf(plan, executors) };
      return {
        ok: true,
        run: await begin(source, { ...beginning, options: runOptions, ...shown }),
        plan,
        warnings,
        ...(executors && { executors }),
      };
    },
    async startGoal(goal, { options: runOptions, ...beginning } = {}) {
      readOptions({ goal }, runOptions);
      return begin({ goal }, { ...beginning, options: runOptions, goal });
    },
    async rerun(name, { options: more, ...rest } = {}) {
      const at = await locate(name);
      const { document, settings } = await planOfRun(
        { client, place, store },
        handleOf(at.workflowId, taskQueue, at.runId),
        at,
        compile,
      );
      return this.start(document as PlanDocument, { ...rest, options: { ...settings, ...more, reuse: name } });
    },
    run: (workflowId) => handleOf(workflowId),
    async find(name) {
      const { workflowId, runId } = await locate(name);
      return handleOf(workflowId, taskQueue, runId);
    },
    inbox: (inboxOptions) => readInbox({ client, place, handleOf }, inboxOptions),
    async statuses(runs) {
      const asked = askRuns({ client, place }, runs, (run) => handleOf(run.workflowId, run.taskQueue).view(['status']));
      const { answers, unreachable } = await asked;
      return { statuses: new Map([...answers].map(([id, { status }]) => [id, status])), unreachable };
    },
  };

  /** The newest run of an id needs no run id. An id may end like the name of a run, and is meant then. */
  async function locate(name: string): Promise<LocatedRun> {
    const { workflowId, digits } = readRunName(name);
    if (digits === undefined) return { workflowId };
    const bounded = boundedBy(client, place, name);
    const runIdOf = (id: string, chain: string) => bounded(() => lastExecution(client.workflow, id, chain), START_MS);
    if ((await runIdOf(name, '')) !== undefined) return { workflowId: name };
    const runId = await runIdOf(workflowId, digits);
    if (runId !== undefined) return { workflowId, runId };
    throw noRun(undefined, place, name);
  }

  async function compile(document: unknown, runOptions?: RunSettings): Promise<CompileResult> {
    const { limits, context = {}, conversation } = readOptions({ plan: {} }, runOptions);
    const contextRefs = conversation === undefined ? undefined : await resultRefs?.(conversation);
    const checked = typeof catalogue === 'function' ? await catalogue() : catalogue;
    return compilePlan(document, given({ context, contextRefs, limits, catalogue: checked }));
  }

  async function begin(
    source: object,
    { workflowId, once, newRun, memo, options: runOptions, goal, staticDetails, by, role }: Beginning,
  ): Promise<RunHandle> {
    const words = client.options.loadedDataConverter.payloadCodecs.some(isEncrypting) ? '' : goal;
    const id = workflowId ?? planWorkflowId(words, once ?? randomBytes(4).toString('hex'));
    const said = { ...source, ...given({ options: runOptions }) };
    const isSigned = signer !== undefined && by !== undefined;
    const input = isSigned
      ? { token: await signer({ kind: 'start', by, ...given({ role }), ...said }, id, namespace) }
      : said;
    try {
      const bounded = boundedBy(client, place, id);
      await bounded(
        () =>
          client.workflow.start(PLAN_WORKFLOW, {
            taskQueue,
            workflowId: id,
            // A closed run whose id is taken again by mistake would be carried out again.
            workflowIdReusePolicy: newRun === true ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
            args: [input],
            staticSummary: cutBytes(oneLine(goal), SUMMARY_BYTES),
            ...given({ staticDetails, memo }),
          }),
        START_MS,
      );
    } catch (error) {
      const isThere = error instanceof ClientError && error.code === 'already-started';
      if (once === undefined || !isThere) throw error;
    }
    return handleOf(id);
  }
}

interface Beginning extends Pick<StartOptions, 'workflowId' | 'once' | 'newRun' | 'memo' | 'by' | 'role'> {
  readonly options: StartOptions['options'] | undefined;
  readonly goal: string;
  readonly staticDetails?: string;
}

/** @throws ClientError `invalid-input` that names whatever does not fit. */
function readOptions(source: { plan: object } | { goal: string }, options: StartOptions['options']): RunOptions {
  const parsed = parsePlanInput({ ...source, ...given({ options }) });
  if (parsed.ok) return parsed.options;
  throw new ClientError('invalid-input', parsed.problems.join('; '));
}

/** The plan as short lines, as many as there is room for. */
function detailsOf(plan: CompiledPlan, executors: OutlineOptions['executors'] = {}): string {
  const outline = outlineOf(plan, { executors, words: 'none' });
  const lines = outlineMarkdown(outline, { most: DETAILS_ROWS });
  return cutLines(lines.join('\n'), { bytes: DETAILS_BYTES, lineBytes: DETAILS_LINE_BYTES });
}
