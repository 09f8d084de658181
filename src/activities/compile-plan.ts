/** Compiles a plan document, stores the plan and answers with the part of it that a run needs. */

import type { CapabilityRegistry } from '../capabilities/index.ts';
import { compilePlan, encodePlan, type CompiledPlan, type JsonValue, type PlanIssue } from '../plan/index.ts';
import { refOfDigest, writeResult, type ResultStore } from '../results/index.ts';
import { MAX_RUN_NODES, type PlanSource, type RunOptions, type RunSlice } from '../run/index.ts';
import { RunFailureError } from './failures.ts';
import { storeResolution } from './revision.ts';
import { sliceOfPlan } from './slice-of-plan.ts';

export interface CompileRequest {
  readonly source: PlanSource;
  readonly limits?: RunOptions['limits'];
  readonly context?: RunOptions['context'];
}

export type CompileReply =
  | { readonly ok: true; readonly slice: RunSlice }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

export async function compileAndStore(
  { source, limits, context = {} }: CompileRequest,
  registry: CapabilityRegistry,
  store: ResultStore,
): Promise<CompileReply> {
  const document = 'ref' in source ? await store.get(source.ref) : source.document;
  const contextKeys = Object.keys(context);
  const compiled = compilePlan(document, { catalogue: registry, contextKeys, ...(limits !== undefined && { limits }) });
  if (!compiled.ok) return { ok: false, issues: compiled.issues.filter((issue) => issue.severity !== 'note') };
  const { plan, executors = {}, warnings } = compiled;
  const nodes = plan.tasks.length + plan.combines.length;
  if (nodes > MAX_RUN_NODES) return { ok: false, issues: [tooLarge(nodes)] };
  await storePlan(plan, store);
  const slice = sliceOfPlan(plan, executors, registry, warnings.length);
  const revisionRef = await storeResolution(store, {
    digest: plan.digest,
    labels: slice.executors.map(({ label }) => label),
    labelOf: slice.executorOf,
    external: await storeContext(plan.external ?? [], context, store),
  });
  const bytes = Buffer.byteLength(JSON.stringify(slice));
  return bytes > MAX_SLICE_BYTES
    ? { ok: false, issues: [tooWordy(bytes)] }
    : { ok: true, slice: { ...slice, revisionRef } };
}

/** A result of an activity is at most 2 MiB. */
const MAX_SLICE_BYTES = 1_900_000;

async function storePlan(plan: CompiledPlan, store: ResultStore): Promise<void> {
  const ref = await store.put(encodePlan(plan));
  if (ref === refOfDigest(plan.digest)) return;
  throw new RunFailureError('FATAL', `the store keeps plan ${plan.digest} under ${ref}; its references are no digests`);
}

/** External context becomes results, so that a step reads it as it reads the results of other steps. */
async function storeContext(
  names: readonly string[],
  context: Readonly<Record<string, unknown>>,
  store: ResultStore,
): Promise<Record<string, string>> {
  const refs: Record<string, string> = {};
  for (const name of names) {
    refs[name] = (await writeResult(store, { kind: 'value', value: context[name] as JsonValue })).ref;
  }
  return refs;
}

function tooLarge(nodes: number): PlanIssue {
  const limit = `at most ${MAX_RUN_NODES} nodes`;
  return notToRun(
    `one run takes ${limit}, this plan has ${nodes}; split it into several plans`,
    limit,
    `${nodes} nodes`,
  );
}

function tooWordy(bytes: number): PlanIssue {
  const limit = `at most ${MAX_SLICE_BYTES} bytes`;
  const message = `its goal, keys and names take ${bytes} bytes in the history of a run, which holds ${limit}; shorten them`;
  return notToRun(message, limit, `${bytes} bytes`);
}

function notToRun(reason: string, expected: string, got: string): PlanIssue {
  return {
    code: 'too-large-to-run',
    severity: 'error',
    path: '$',
    message: `The plan is too large to run: ${reason}.`,
    expected,
    got,
  };
}
