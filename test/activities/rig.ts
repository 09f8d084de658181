/** The activities of a worker, called without a server. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { onTestFinished } from 'vitest';
import { createActivities, type Activities, type ActivityDependencies } from '../../src/activities/index.ts';
import { createRegistry, type Capability } from '../../src/capabilities/index.ts';
import { createFileStore } from '../../src/results/index.ts';
import type { RunSlice } from '../../src/run/index.ts';

export const WORKFLOW_ID = 'plan-orchard-1';

export interface ActivityRig {
  readonly dependencies: ActivityDependencies;
  /** Calls an activity as a worker does; `fresh` takes a worker that has read nothing yet. */
  call<Name extends keyof Activities>(
    name: Name,
    request: Parameters<Activities[Name]>[0],
    fresh?: boolean,
  ): Promise<Awaited<ReturnType<Activities[Name]>>>;
  /** Compiles a document that has no issues. */
  compiled(document: unknown): Promise<RunSlice>;
}

/** A rig with a store of its own, for one test. */
export async function openActivities(
  capabilities: readonly Capability[],
  more: Partial<ActivityDependencies> = {},
): Promise<ActivityRig> {
  const dir = await mkdtemp(join(tmpdir(), 'planwright-activities-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const dependencies = { registry: createRegistry(capabilities), store: createFileStore(dir), ...more };
  const kept = createActivities(dependencies);
  const rig: ActivityRig = {
    dependencies,
    call(name, request, fresh = false) {
      const info = { workflowExecution: { workflowId: WORKFLOW_ID, runId: 'first' } };
      // What tests provoke on purpose is not news.
      const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
      const activity = (fresh ? createActivities(dependencies) : kept)[name] as (given: unknown) => Promise<unknown>;
      return environment.run(activity, request) as never;
    },
    async compiled(document) {
      const reply = await rig.call('compilePlan', { source: { document } });
      if (!reply.ok) throw new Error(JSON.stringify(reply.issues));
      return reply.slice;
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
