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
import { pagesOf, type CompileReply, type CompileRequest, type RunSlice, type SentSlice } from '../contract/index.ts';
import { RunFailureError } from './failures.ts';
import { revisionOf, storeResolution, type Revision } from './revision.ts';
import { sameNodes } from './same-nodes.ts';
import { sliceOfPlan } from './slice-of-plan.ts';

/** A plan that compiles, but for what the project says of itself. */
type Compiled = SentSlice & Pick<Extract<CompileReply, { ok: true }>, 'ok' | 'sameAs'>;

export async function compileAndStore(
  { source, limits, context = {}, ruleCapabilities = [] }: CompileRequest,
  registry: CapabilityRegistry,
  store: ResultStore,
  base?: Revision,
): Promise<Compiled | (CompileReply & { readonly ok: false })> {
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
  const { plan, executors = {} } = compiled;
  await storePlan(plan, store);
  const slice = sliceOfPlan(plan, executors, registry);
  const resolution = {
    digest: plan.digest,
    labels: slice.executors.map(({ label }) => label),
    labelOf: slice.executorOf,
    external: await storeContext(plan.external ?? [], context, store),
  };
  const revisionRef = await storeResolution(store, resolution);
  const sameAs = base && { sameAs: sameNodes(revisionOf(plan, resolution), base) };
  const sent = await sendSlice({ ...slice, revisionRef }, store);
  return 'pages' in sent || 'slice' in sent ? { ok: true, ...sent, ...sameAs } : { ok: false, issues: [sent] };
}

/** Of UTF-16 code units of JSON. A result of an activity is at most 2 MiB. */
const MAX_INLINE = 500_000;
/** The whole slice is in the memory of every worker that has the run. */
const MAX_SLICE = 10_000_000;

async function sendSlice(slice: RunSlice, store: ResultStore): Promise<SentSlice | PlanIssue> {
  const text = JSON.stringify(slice);
  if (text.length <= MAX_INLINE) return { slice };
  if (text.length > MAX_SLICE) return tooWordy(text.length);
  const pages: string[] = [];
  for (const page of pagesOf(text)) pages.push(await store.put(Buffer.from(page, 'utf8')));
  return { pages };
}

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

function tooWordy(length: number): PlanIssue {
  const limit = `at most ${MAX_SLICE} characters`;
  const message = `its shape, keys and names take ${length} characters in the memory of a run, which holds ${limit}; split it into several plans`;
  return notToRun(message, limit, `${length} characters`);
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
