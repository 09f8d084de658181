import { Context } from '@temporalio/activity';
import pLimit from 'p-limit';
import { lookAtPlan, type CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { compileDocument } from '../capabilities/compile-document.ts';
import {
  contextRefs,
  contextText,
  didYouMean,
  encodePlan,
  warningLines,
  type CompiledPlan,
  type CompileResult,
  type PlanIssue,
  type TaskNode,
} from '../plan/index.ts';
import { hashOf, refOfBytes, refOfDigest, StoreError, type ResultStore } from '../store/index.ts';
import {
  idempotencyKey,
  nodeId,
  nodeIndex,
  pagesOf,
  RunFailureError,
  runName,
  type CompileReply,
  type CompileRequest,
  type PlanShape,
  type SameNodes,
  type SentPlanShape,
  type Owner,
} from '../protocol/index.ts';
import { listNames, quote } from '../plan/text/index.ts';
import { runsWithEffect, claimName, planNote, previewsOnce } from './run-records.ts';
import { runNotes, type Stores, placeOf, savePages } from './stores.ts';
import { findGrants, type GrantSources } from './grants/find-grants.ts';
import { linkPredecessor, predecessorOf, type ServerStateOf } from './predecessor.ts';
import { openReuse } from './reuse.ts';
import { resolutionBytes, revisionOf, type Revision, looseEffectKey } from './revision.ts';
import { reformedNodes, sameNodes } from './same-nodes.ts';
import { planShapeOf } from './plan-shape.ts';
import { hasMarksOfStore, markedOf, marksOf } from './untrusted.ts';

interface Surroundings {
  readonly stores: Stores;
  readonly store: ResultStore;
  readonly standingOf?: ServerStateOf | undefined;
  /** Set if the store does not have the run's ids yet. The ids are then stored with the plan. */
  readonly namespaceId?: string | undefined;
  /** Where to find grants. Set only for a first plan from the run's start, since grants cover no other plans. */
  readonly grants?: Omit<GrantSources, 'registry'>;
}

export async function compileAndStore(
  request: CompileRequest,
  registry: CapabilityRegistry,
  { stores, store, standingOf, namespaceId, grants }: Surroundings,
  base?: Revision,
  /** Set if the document may use `results` by key, because it is a step of a loop or, with `isWhole`, a whole plan. */
  beside?: {
    readonly results: Readonly<Record<string, string>>;
    readonly isWhole?: true;
    /** A model is told what is wrong. */
    readonly isForModel?: true;
    readonly closed?: Owner;
    readonly mended?: readonly PlanIssue[];
  },
): Promise<(SentPlanShape & Omit<CompileReply & { ok: true }, 'project'>) | (CompileReply & { ok: false })> {
  const { source, limits, context = {}, ruleCapabilities = [], reuse } = request;
  checkRuleCapabilities(ruleCapabilities, registry.capabilities);
  const document = 'ref' in source ? await documentAt(source.ref, stores.documents) : source.document;
  const options = {
    context,
    contextRefs: beside?.results ?? {},
    ...(beside !== undefined && beside.isWhole !== true && { isStep: true }),
    ...(limits !== undefined && { limits }),
    ...(base !== undefined && { goal: base.plan.goal }),
  };
  const { cancellationSignal: signal } = Context.current();
  const compiled = await compileDocument(document, { ...options, catalogue: registry }, signal);
  if (!compiled.ok) return refused(compiled);
  const { plan, executors = {} } = compiled;
  const shape = planShapeOf(plan, executors, registry, context);
  const resolution = {
    digest: plan.digest,
    labels: shape.executors.map(({ label }) => label),
    labelOf: shape.executorOf,
  };
  const revision = revisionOf(plan, resolution);
  const same = base && samenessOf(revision, base);
  const place = placeOf(request);
  const closed = reuse && (beside?.closed ?? (await predecessorOf(place, store)));
  const reusing = closed && (await openReuse(shape, revision, { ...reuse, closed }, place, { stores, registry }));
  // Nodes that are equal in both plans keep the warnings and previews of the earlier plan.
  const isDone = ({ id }: TaskNode) =>
    (same?.sameAs?.[nodeIndex(id)] ?? -1) >= 0 || reusing?.reuse.done[nodeIndex(id)] !== undefined;
  const marked = await markedOf(plan, executors, request, registry, stores, {
    namespace: place.namespace,
    reuse: reusing?.reuse,
    ...(beside?.isWhole && { document }),
  });
  const isHidden = ({ id }: TaskNode) =>
    beside?.isForModel === true && (executors[id]?.untrusted ?? marked.reads?.[nodeIndex(id)]) !== undefined;
  const { refusing, warnings, previews } = await lookAtPlan(plan, executors, registry, signal, { isDone, isHidden });
  const isFirst = base === undefined && beside?.isWhole === true;
  if (refusing !== undefined)
    return refused(await compileDocument(document, { ...options, catalogue: refusing }, signal));
  if (base === undefined) await reusing?.check();
  const marks = marksOf(plan, marked);
  const planShape = { ...shape, ...marks.shape };
  const resolved = resolutionBytes({ ...resolution, ...marks.resolution });
  await store.putAtOnce([
    ...(namespaceId === undefined ? [] : runNotes(place, namespaceId)),
    [resolved],
    [encodePlan(plan)],
    ...(isFirst ? [planNote(place, refOfDigest(plan.digest))] : []),
  ]);
  await storeContext(plan, context, store);
  // After this line nothing rejects the plan. Before this line, the closed run must not change.
  const passed = closed && (await linkPredecessor(closed, place, stores, standingOf));
  const reused = reusing && { reuse: await reusing.take(passed ?? []) };
  const documentWarnings = warningLines([...(beside?.mended ?? []), ...compiled.warnings]);
  const notes = {
    ...(warnings && { warnings }),
    ...(previews && { previews: await previewsOnce(store, place, `${plan.digest} ${request.base ?? ''}`, previews) }),
    ...(documentWarnings.length > 0 && { documentWarnings }),
  };
  const effects = effectsOf(revision, planShape);
  const begun = await effectsElsewhere(planShape, effects.effectKeys ?? {}, revision, { place, stores, isFirst });
  const revisionRef = refOfBytes(resolved);
  const shaped = { plan, planShape: { ...planShape, ...begun } };
  const isMarked = hasMarksOfStore(marked);
  const granted = grants && (await findGrants(request, shaped, place, { ...grants, registry, isMarked }));
  const sent = await sendPlanShape(
    { ...planShape, ...effects, revisionRef, ...notes, ...begun, ...reused, ...granted },
    store,
  );
  return 'pages' in sent || 'planShape' in sent ? { ok: true, ...sent, ...same } : { ok: false, issues: [sent] };
}

function refused(result: CompileResult): CompileReply & { readonly ok: false } {
  const issues = result.ok ? result.warnings : result.issues;
  return { ok: false, issues: issues.filter(({ severity }) => severity !== 'note') };
}

function samenessOf(revision: Revision, base: Revision): SameNodes {
  const sameAs = sameNodes(revision, base);
  const reformed = reformedNodes(revision, base, sameAs);
  return { sameAs, ...(reformed !== undefined && { reformed }) };
}

/**
 * The keys of a plan's effects. Reads have none, since they may be repeated; agents have none, as they claim nothing.
 */
function effectsOf(
  revision: Revision,
  { executors, executorOf }: Pick<PlanShape, 'executors' | 'executorOf'>,
): Pick<PlanShape, 'effectKeys' | 'claims'> {
  if (!executors.some(({ effect }) => effect !== 'read')) return {};
  const effectKeys: Record<number, string> = {};
  const claims: Record<number, string> = {};
  for (const task of revision.plan.tasks) {
    const node = nodeIndex(task.id);
    const { effect, kind } = executors[executorOf[node]!]!;
    if (effect !== 'read') effectKeys[node] = looseEffectKey(revision, task);
    if (effect === 'at-most-once' && kind !== 'agent') claims[node] = hashOf(revision.bindingOf(task.id) ?? '');
  }
  return { effectKeys, ...(Object.keys(claims).length > 0 && { claims }) };
}

const LOOKUPS = 16;

/** Finds at-most-once effects that began in another run of this workflow id, or before a reset of this run. */
async function effectsElsewhere(
  { executors, executorOf }: Pick<PlanShape, 'executors' | 'executorOf'>,
  keys: Readonly<Record<number, string>>,
  { bindingOf }: Revision,
  { place, stores, isFirst }: { readonly place: Owner; readonly stores: Stores; readonly isFirst: boolean },
): Promise<Pick<PlanShape, 'begunElsewhere'>> {
  const sought = Object.entries(keys).filter(
    ([node]) => executors[executorOf[Number(node)]!]?.effect === 'at-most-once',
  );
  const chains = sought.length === 0 ? [] : await stores.chains(place);
  const found: Record<number, string> = {};
  await pLimit(LOOKUPS).map(sought, async ([node, key]) => {
    const noted = await runsWithEffect(stores, place, chains, key);
    if (noted.length === 0) return;
    // Effects with the same key are found by their claims, so they are not reported here.
    const claim = claimName(place, idempotencyKey(place, bindingOf(nodeId(Number(node))) ?? ''));
    const isNews = isFirst && (await stores.of(place).entry(claim)) === undefined;
    const begun = noted.find(({ firstRunId }) => firstRunId !== place.firstRunId || isNews);
    if (begun !== undefined) found[Number(node)] = `${runName({ ...place, ...begun })}, ${begun.since}`;
  });
  return Object.keys(found).length === 0 ? {} : { begunElsewhere: found };
}

/** Maximum length of a plan shape in the reply, in UTF-16 code units. An activity's result can have 2 MiB. */
const MAX_INLINE = 500_000;
/** Maximum length of a plan shape as JSON. Every worker that caches the run has the plan shape in memory. */
const MAX_SLICE = 10_000_000;

async function sendPlanShape(planShape: PlanShape, store: ResultStore): Promise<SentPlanShape | PlanIssue> {
  const text = JSON.stringify(planShape);
  if (text.length <= MAX_INLINE) return { planShape };
  if (text.length > MAX_SLICE) return tooWordy(text.length);
  return { pages: (await savePages({ pages: [...pagesOf(text)] }, store)).refs };
}

async function storeContext(
  plan: CompiledPlan,
  context: Readonly<Record<string, unknown>>,
  store: ResultStore,
): Promise<void> {
  const refs = contextRefs(plan);
  for (const name of plan.external ?? []) {
    if (!Object.hasOwn(context, name)) {
      // If the context is a result of the conversation, this copies it into the run's store.
      if (refs[name] !== undefined) await store.get(refs[name]);
      continue;
    }
    await store.put(Buffer.from(contextText(context[name]), 'utf8'));
  }
}

/** Loads the plan document. Fails at once if it is missing, since clients store it before they start the run. */
async function documentAt(ref: string, store: ResultStore): Promise<Uint8Array> {
  try {
    return await store.get(ref);
  } catch (error) {
    const isMistake = error instanceof StoreError && (error.code === 'not-found' || error.code === 'invalid-ref');
    if (!isMistake) throw error;
    throw new RunFailureError('InvalidInput', `$.ref: ${error.message} Put the document there before it is named.`);
  }
}

/** Rejects rules that name an unknown capability, since they would never match. */
function checkRuleCapabilities(names: readonly string[], known: readonly string[]): void {
  const unknown = [...new Set(names)].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const problems = unknown.map(
    (name) =>
      `$.options.approval: a rule is about the capability ${quote(name)}, which there is not.${didYouMean(name, known)}`,
  );
  throw new RunFailureError('InvalidInput', `${problems.join(' ')} There are ${listNames(known)}.`);
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
