/** Starts runs and finds them again. */

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
import { type RunHandle, documentToSend, type StartOptions, type Started, addressOf } from './run-handle.ts';
import { readInbox, type Inbox, type InboxOptions } from './inbox.ts';
import { askRuns, type UnreachableRun } from './reach/index.ts';
import { createRunHandle } from './create-run-handle.ts';
import type { Signer } from './send-message.ts';

/** The options of `createPlanClient`. */
export interface PlanClientOptions {
  readonly client: Client;
  /** The server's address, for messages. Default: the address of the client's connection. */
  readonly address?: string | undefined;
  readonly namespace?: string | undefined;
  readonly store: Store;
  readonly taskQueue?: string | undefined;
  /** The project's executors, to check a plan before its run exists. A function is called for the first check. */
  readonly catalogue?: (Catalogue | (() => Promise<Catalogue>)) | undefined;
  /** Finds the references of a conversation's results by key, so that its plans may use them. */
  readonly resultRefs?: ((conversation: string) => Promise<Readonly<Record<string, string>>>) | undefined;
  /** Signs every message to a run, and every start with `by`. Default: nothing is signed. */
  readonly signer?: Signer | undefined;
}

export interface RunPlace {
  readonly workflowId: string;
  readonly taskQueue: string;
}

/** The states of runs by workflow id, and the runs that did not answer. */
export interface Statuses {
  readonly statuses: ReadonlyMap<string, RunStatus>;
  readonly unreachable: readonly UnreachableRun[];
}

/** Starts runs, finds them, and lists what waits for a person. `createPlanClient` makes one. */
export interface PlanClient {
  /** Starts a run of a plan document (text, bytes or parsed JSON). If the plan has errors, nothing is started. */
  start(document: PlanDocument, options?: StartOptions): Promise<Started>;
  /** Starts a run with only a goal, in the mode of `options.mode`. @throws ClientError `invalid-input` */
  startGoal(goal: string, options?: StartOptions): Promise<RunHandle>;
  /**
   * Starts the last plan of a closed run again, with its options, and reuses its finished nodes (`options.reuse`).
   * Needs a worker, which reports the plan.
   * @throws ClientError `no-run`, `no-worker`, or `invalid-input` if the run is open or its plan cannot be written as a
   * document
   */
  rerun(workflowId: string, options?: StartOptions): Promise<Started>;
  run(workflowId: string): RunHandle;
  /**
   * Finds a run.
   * @param name a workflow id, for the newest run of that id, or `ID@DIGITS` with the last 8 digits of the first run id
   * @throws ClientError `no-run` if the server does not know the run
   */
  find(name: string): Promise<RunHandle>;
  /** Lists what the running runs of the namespace ask people, oldest first. */
  inbox(options?: InboxOptions): Promise<Inbox>;
  /** Reads the states of many runs at once. Lists runs without a worker within seconds. */
  statuses(runs: readonly RunPlace[]): Promise<Statuses>;
}

/** Time limit in ms for the start of a run. The server normally accepts a start within milliseconds. */
const START_MS = 10_000;

const SUMMARY_BYTES = 400;

const DETAILS_BYTES = 4000;

const DETAILS_LINE_BYTES = 500;

const DETAILS_ROWS = 40;

/**
 * Makes a client for the runs of one namespace. `store` must be the store of the workers.
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

  /** Resolves the name of a run. If the name is also an existing id, it counts as the id. */
  async function locate(name: string): Promise<LocatedRun> {
    const { workflowId, digits } = readRunName(name);
    if (digits === undefined) return { workflowId };
    const bounded = boundedBy(client, place, name);
    const runIdOf = (id: string, firstRunId: string) =>
      bounded(() => lastExecution(client.workflow, id, firstRunId), START_MS);
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
            // If somebody reuses the id of a closed run by mistake, the plan must not be executed again.
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

/** Parses the options of a start. @throws ClientError `invalid-input` with all problems */
function readOptions(source: { plan: object } | { goal: string }, options: StartOptions['options']): RunOptions {
  const parsed = parsePlanInput({ ...source, ...given({ options }) });
  if (parsed.ok) return parsed.options;
  throw new ClientError('invalid-input', parsed.problems.join('; '));
}

function detailsOf(plan: CompiledPlan, executors: OutlineOptions['executors'] = {}): string {
  const outline = outlineOf(plan, { executors, words: 'none' });
  const lines = outlineMarkdown(outline, { most: DETAILS_ROWS });
  return cutLines(lines.join('\n'), { bytes: DETAILS_BYTES, lineBytes: DETAILS_LINE_BYTES });
}
