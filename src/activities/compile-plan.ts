/** Compiles a plan document, stores the plan and answers with the part of it that a run needs. */

import type { CapabilityRegistry } from '../capabilities/index.ts';
import {
  compilePlan,
  didYouMean,
  encodePlan,
  type CompiledPlan,
  type JsonValue,
  type PlanIssue,
} from '../plan/index.ts';
import { refOfDigest, writeResult, type ResultStore } from '../results/index.ts';
import { MAX_RUN_NODES, type PlanSource, type ProjectPolicy, type RunOptions, type RunSlice } from '../run/index.ts';
import { RunFailureError } from './failures.ts';
import { revisionOf, storeResolution, type Revision } from './revision.ts';
import { sameNodes } from './same-nodes.ts';
import { sliceOfPlan } from './slice-of-plan.ts';

export interface CompileRequest {
  readonly source: PlanSource;
  readonly limits?: RunOptions['limits'];
  readonly context?: RunOptions['context'];
  /** Reference of the revision that an edit starts from; a document that is only a root node keeps its goal. */
  readonly base?: string;
  /** The names that the run's approval rules give; a rule about a capability that is not there would guard nothing. */
  readonly ruleCapabilities?: readonly string[];
}

export type CompileReply =
  | (CompiledSlice & { readonly project: ProjectPolicy })
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

interface CompiledSlice {
  readonly ok: true;
  readonly slice: RunSlice;
  /** With a `base`: for each node the index of the base's node that it is, or -1 (`sameNodes`). */
  readonly sameAs?: readonly number[];
}

export async function compileAndStore(
  { source, limits, context = {}, ruleCapabilities = [] }: CompileRequest,
  registry: CapabilityRegistry,
  store: ResultStore,
  base?: Revision,
): Promise<CompiledSlice | (CompileReply & { readonly ok: false })> {
  const document = 'ref' in source ? await store.get(source.ref) : source.document;
  const contextKeys = Object.keys(context);
  const compiled = compilePlan(document, {
    catalogue: registry,
    contextKeys,
    ...(limits !== undefined && { limits }),
    ...(base !== undefined && { goal: base.plan.goal }),
  });
  const unknown = unknownNames(ruleCapabilities, registry.capabilities);
  if (!compiled.ok || unknown.length > 0) {
    const found = compiled.ok ? compiled.warnings : compiled.issues;
    return { ok: false, issues: [...unknown, ...found.filter((issue) => issue.severity !== 'note')] };
  }
  const { plan, executors = {}, warnings } = compiled;
  const nodes = plan.tasks.length + plan.combines.length;
  if (nodes > MAX_RUN_NODES) return { ok: false, issues: [tooLarge(nodes)] };
  await storePlan(plan, store);
  const slice = sliceOfPlan(plan, executors, registry, warnings.length);
  const resolution = {
    digest: plan.digest,
    labels: slice.executors.map(({ label }) => label),
    labelOf: slice.executorOf,
    external: await storeContext(plan.external ?? [], context, store),
  };
  const revisionRef = await storeResolution(store, resolution);
  const sameAs = base && { sameAs: sameNodes(revisionOf(plan, resolution), base) };
  const bytes = Buffer.byteLength(JSON.stringify({ slice, ...sameAs }));
  return bytes > MAX_SLICE_BYTES
    ? { ok: false, issues: [tooWordy(bytes)] }
    : { ok: true, slice: { ...slice, revisionRef }, ...sameAs };
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

function unknownNames(names: readonly string[], known: readonly string[]): readonly PlanIssue[] {
  return [...new Set(names)]
    .filter((name) => !known.includes(name))
    .map((name) => ({
      code: 'unknown-capability',
      severity: 'error',
      path: '$.options.approval',
      message:
        `An approval rule is about the capability "${name}", which there is not.${didYouMean(name, known)} ` +
        `Use one of ${known.join(', ')}.`,
      expected: known,
      got: name,
    }));
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
