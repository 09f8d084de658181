/** The activities of a worker, called without a server. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { onTestFinished } from 'vitest';
import type { AskRun } from '../../src/activities/gate.ts';
import type { ResourceLocks } from '../../src/activities/resource-locks.ts';
import { createActivities, type ActivityDependencies } from '../../src/activities/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import type { Capability } from '../../src/capabilities/index.ts';
import { openStores, type Stores } from '../../src/activities/stores.ts';
import { createFileStore, digestOfRef, runScope, type ResultStore } from '../../src/store/index.ts';
import {
  isRecord,
  type Activities,
  type Deferral,
  type PlanShape,
  type SentPlanShape,
} from '../../src/protocol/index.ts';

export const WORKFLOW_ID = 'plan-orchard-1';
const PLACE = { namespace: 'default', workflowId: WORKFLOW_ID, firstRunId: 'first' };

export interface Attempt {
  /** At a worker that has read nothing yet. */
  readonly fresh?: boolean;
  /** What the server gave it, by which it is told from every other. */
  readonly token?: string;
  /** Its cancellation was delivered before it began. */
  readonly cancelled?: boolean;
  /** What else the server says of it. */
  readonly info?: object;
  /** Nothing is added to the request. */
  readonly asSent?: boolean;
  /** Takes what its heartbeats tell. */
  readonly beats?: unknown[];
}

/** Only of nodes tests look at what was held. */
type ReplyOf<Name extends keyof Activities> = Name extends 'runTask' | 'makeQuestion' | 'combine'
  ? Awaited<ReturnType<Activities[Name]>>
  : Exclude<Awaited<ReturnType<Activities[Name]>>, Deferral>;

/** Without a chain it is of a run in its first execution. */
type RequestOf<Name extends keyof Activities> = Unchained<Parameters<Activities[Name]>[0]>;
type Unchained<Request> = Request extends object
  ? Omit<Request, 'firstRunId'> & { readonly firstRunId?: string }
  : Request;

export interface ActivityRig {
  readonly dependencies: ActivityDependencies;
  /** The parts of its store, and that of its run. */
  readonly stores: Stores;
  readonly results: ResultStore;
  /** The folder of its run. */
  readonly folder: string;
  /** Where a content of its run lies. */
  fileOf(ref: string): string;
  /** Calls an activity as a worker does. */
  call<Name extends keyof Activities>(name: Name, request: RequestOf<Name>, attempt?: Attempt): Promise<ReplyOf<Name>>;
  /** As `call`, for an attempt that the test cancels. */
  open<Name extends keyof Activities>(
    name: Name,
    request: RequestOf<Name>,
    attempt?: Attempt,
  ): { readonly reply: Promise<ReplyOf<Name>>; cancel(): void };
  /** Compiles a document that has no issues. */
  compiled(document: unknown): Promise<PlanShape>;
  /** Puts a plan shape together again, as a run does. */
  shapeOf(sent: SentPlanShape): Promise<PlanShape>;
}

/** A client that no activity here calls: each attempt is only run within it. */
export const NO_SERVER = { withAbortSignal: <T>(_: AbortSignal, work: () => T) => work() } as Client;

/** A double of the server: nobody else writes. */
const freeLocks: ResourceLocks = {
  lock: (_, writer) => Promise.resolve({ writer, unlock: () => Promise.resolve() }),
  find: () => Promise.resolve(undefined),
  ended: () => Promise.resolve(true),
  isAtWork: () => Promise.resolve(false),
};

/** A rig with a store of its own, for one test. */
export async function openActivities(
  capabilities: readonly Capability[],
  more: Partial<ActivityDependencies> = {},
): Promise<ActivityRig> {
  const dir = await mkdtemp(join(tmpdir(), 'planwright-activities-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  // A double of the run: whatever it is asked about may begin.
  const askRun: AskRun = (_, works) => Promise.resolve({ words: works.map(() => null) });
  const registry = createRegistry(capabilities);
  const dependencies = { registry, store: createFileStore(dir), askRun, locks: freeLocks, ...more };
  const kept = createActivities(dependencies);
  const stores = openStores(dependencies.store);
  const rig: ActivityRig = {
    dependencies,
    stores,
    results: stores.of(PLACE),
    folder: join(dependencies.store.place, runScope(PLACE)),
    fileOf: (ref) => join(rig.folder, 'objects', digestOfRef(ref)),
    call: (name, request, attempt) => rig.open(name, request, attempt).reply,
    open(
      name,
      request,
      { fresh = false, token = 'first', cancelled = false, asSent = false, info: over = {}, beats } = {},
    ) {
      const workflowExecution = { workflowId: WORKFLOW_ID, runId: 'first' };
      const info = { workflowExecution, base64TaskToken: Buffer.from(token).toString('base64'), ...over };
      // What tests provoke on purpose is not news.
      const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR'), client: NO_SERVER });
      const activity = (fresh ? createActivities(dependencies) : kept)[name] as (given: unknown) => Promise<unknown>;
      environment.on('heartbeat', (details) => beats?.push(details));
      const sent: unknown = isRecord(request) && !asSent ? { firstRunId: 'first', ...request } : request;
      if (cancelled) environment.cancel();
      return { reply: environment.run(activity, sent) as never, cancel: () => environment.cancel() };
    },
    async compiled(document) {
      const reply = await rig.call('compilePlan', { source: { document } });
      if (!reply.ok) throw new Error(JSON.stringify(reply.issues));
      return rig.shapeOf(reply);
    },
    async shapeOf(sent) {
      if ('planShape' in sent) return sent.planShape;
      let text = '';
      for (const ref of sent.pages) text += (await rig.call('loadPages', { ref })).page;
      return JSON.parse(text) as PlanShape;
    },
  };
  return rig;
}

/** The failure that the server would be told of. */
export async function failureOf(work: Promise<unknown>): Promise<ApplicationFailure> {
  const outcome = await work.then(
    (value) => new Error(`it went well: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof ApplicationFailure) return outcome;
  throw outcome;
}
