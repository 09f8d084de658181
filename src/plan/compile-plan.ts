import { wholeDocument } from './whole-document.ts';
import { describeValue, listNames, messageOf, quote } from './text/index.ts';
import { checkExecutors } from './check-executors.ts';
import { completePlan, CONTEXT_DEPTH, contextProblem, contextRef, type ContextRefs } from './digest/index.ts';
import { IssueList, ROOT } from './issues/index.ts';
import { formOf, formOfList, isListOfSteps, treeForm } from './forms.ts';
import { FILE_LIMITS } from './limits.ts';
import { isPlainObject } from './plain-object.ts';
import { newReading } from './plan-reading.ts';
import { numberSteps, readSteps } from './steps/index.ts';
import { documentText, readSyntax, readYaml } from './syntax/index.ts';
import { checkOperands, numberNodes, readTree } from './tree/index.ts';
import type { Catalogue, Executor } from './catalogue.ts';
import type { CompiledPlan, NodeId, StoredPlan } from './compiled-plan.ts';
import type { PlanIssue } from './issues/index.ts';
import type { Limits } from './limits.ts';
import type { NodeDraft, NodeSource } from './plan-reading.ts';
import type { ReadSteps, StepsDocument } from './steps/index.ts';
import type { TreeDocument } from './tree/index.ts';

/**
 * A plan document: text or UTF-8 bytes in any accepted format, or parsed JSON. The two object types are for editors;
 * the compiler takes any object, since the formats have alternative keys.
 */
export type PlanDocument = string | Uint8Array | TreeDocument | StepsDocument | object;

/** The format of a plan document: `tree` of nested nodes, `steps` as an ordered list, or `xml`. */
export type PlanFormat = 'tree' | 'steps' | 'xml';

/** The options of `compilePlan`: how to read the document, and the names that the plan may use. */
export interface CompileOptions {
  /** The format of the document. By default (`auto`) the content decides. */
  readonly format?: 'auto' | PlanFormat | undefined;
  /** The executors of the project. With a catalogue, every task gets its executor, and its arguments are checked. */
  readonly catalogue?: Catalogue | undefined;
  /** The names of the capabilities that the plan may use. `respond` and `clarify` are always allowed. */
  readonly capabilities?: readonly string[] | undefined;
  /** The names of the agents that the plan may use, in any case. */
  readonly agents?: readonly string[] | undefined;
  /**
   * Keys of values from outside the plan that steps may name; default none. If a key has neither a value nor a
   * reference, the digest differs from that of a run.
   */
  readonly contextKeys?: readonly string[] | undefined;
  /** Values from outside the plan, by key. The digest depends on each value that a step reads. */
  readonly context?: { readonly [key: string]: unknown } | undefined;
  /** References of stored values from outside the plan, by key, in the form that `contextRefs` returns. */
  readonly contextRefs?: ContextRefs | undefined;
  /** The syntax of the text. By default the content decides: a text that begins with a key of a plan is YAML. */
  readonly syntax?: 'json' | 'yaml' | undefined;
  /** The goal, if the document is only the root node of a tree. */
  readonly goal?: string | undefined;
  /** Set if the list of steps is one step of a loop, so that no answer step is added. Default false. */
  readonly isStep?: boolean | undefined;
  /** The size limits of the document. Default `FILE_LIMITS`. */
  readonly limits?: Partial<Limits> | undefined;
}

/** The compiled plan with its warnings, or every issue of a document that has errors. */
export type CompileResult =
  | {
      readonly ok: true;
      readonly plan: CompiledPlan;
      readonly warnings: readonly PlanIssue[];
      /** The executor of every task, by node id. It is present only if the call has a catalogue. */
      readonly executors?: { readonly [id: NodeId]: Executor };
    }
  | {
      readonly ok: false;
      readonly issues: readonly PlanIssue[];
    };

/**
 * Compiles a plan document: text, UTF-8 bytes or parsed JSON. It reports all problems together and never throws.
 * @example
 * const compiled = compilePlan({ goal: 'Find targets', plan: { type: 'task', task: 'Find genes' } });
 * if (compiled.ok) console.log(compiled.plan.digest);
 * else for (const { path, message } of compiled.issues) console.error(`${path}: ${message}`);
 */
export function compilePlan(document: unknown, options: CompileOptions = {}): CompileResult {
  try {
    return compile(document, options);
  } catch (error) {
    const issues = new IssueList();
    const isForeign = typeof document === 'object' && !ArrayBuffer.isView(document);
    const fault = `The compiler failed: ${messageOf(error)}. Report it with the document.`;
    if (isForeign) issues.add('error', 'not-json', ROOT, () => ({ message: FOREIGN, expected: 'parsed JSON' }));
    else issues.add('error', 'compiler-fault', ROOT, () => ({ message: fault }));
    return { ok: false, issues: issues.list() };
  }
}

const FOREIGN =
  'The document is an object that cannot be read as JSON. Give it as text, or as what JSON.parse returns.';

function compile(document: unknown, options: CompileOptions): CompileResult {
  const issues = new IssueList();
  const allOptions = { ...options, external: externalOf(options, issues) };
  const isText = typeof document === 'string' || document instanceof Uint8Array;
  const read = isText ? readPlanText(document, allOptions, issues) : readPlanValue(document, allOptions, issues);
  const executorOf = checkExecutors(read.kind === 'tree' ? read.drafts : read.steps, options, issues);
  if (read.kind === 'tree') checkOperands(read.drafts, executorOf, options.catalogue, issues);
  if (issues.errors > 0) return { ok: false, issues: issues.list() };
  const { nodes, executors } =
    read.kind === 'tree'
      ? numberNodes(read.drafts[0]!, executorOf, issues)
      : numberSteps(read.steps, read.inputs, executorOf);
  const stored: StoredPlan = {
    version: 1,
    goal: read.goal,
    root: nodes.at(-1)!.id,
    tasks: nodes.filter((node) => node.kind === 'task'),
    combines: nodes.filter((node) => node.kind === 'combine'),
    ...(read.kind === 'steps' && storedFacts(read)),
  };
  const plan = completePlan(stored, nodes);
  noteUnread(options, stored, issues);
  return { ok: true, plan, warnings: issues.list(), ...(options.catalogue === undefined ? {} : { executors }) };
}

/** The parts of a plan. A part is missing only if an error has been reported. */
type ReadPlan =
  | { readonly kind: 'tree'; readonly goal: string; readonly drafts: readonly NodeDraft[] }
  | ({ readonly kind: 'steps' } & ReadSteps);

type GivenOptions = CompileOptions & { readonly external: ReadonlyMap<string, string | undefined> };

const NOTHING: ReadPlan = { kind: 'tree', goal: '', drafts: [] };

function readPlanText(document: string | Uint8Array, options: GivenOptions, issues: IssueList): ReadPlan {
  const { format = 'auto', syntax = 'json' } = options;
  const limits = limitsOf(options);
  const text = documentText(document, limits.bytes, issues);
  if (text === undefined) return NOTHING;
  const wanted = format === 'xml' ? 'xml' : format === 'auto' ? 'any' : 'json';
  const read = syntax === 'yaml' ? readYaml(text, issues) : readSyntax(text, wanted, limits, issues);
  if (read === undefined) return NOTHING;
  const isXml = 'isXml' in read && read.isXml;
  return readPlanValue(read.value, isXml ? { ...options, format: 'steps' } : options, issues);
}

function readPlanValue(value: unknown, options: GivenOptions, issues: IssueList): ReadPlan {
  const { format = 'auto', goal } = options;
  const reading = newReading(issues, limitsOf(options), options.external.keys());
  const isList = format !== 'tree' && isListOfSteps(value);
  if (!isPlainObject(value) && !isList) return refuseValue(value, issues);
  const source = { node: isList ? {} : (value as NodeSource['node']), place: ROOT };
  if (goal !== undefined) source.node = isList ? { goal } : wholeDocument(source.node, goal);
  const form = isList
    ? formOfList(value, ROOT, source, reading)
    : format === 'tree'
      ? treeForm(source, reading)
      : formOf(source, reading);
  if (form.is === 'tree' && (format === 'auto' || format === 'tree')) {
    return { kind: 'tree', goal: readTree(form.source, form.root, form.reading), drafts: reading.drafts };
  }
  return { kind: 'steps', ...readSteps(form.source, form.is === 'steps' ? form.steps : undefined, options, reading) };
}

/** The reference of each context value. If a key has both a value and a reference, the value counts. */
function externalOf({ contextKeys = [], context = {}, contextRefs = {} }: CompileOptions, issues: IssueList) {
  const external = new Map<string, string | undefined>(contextKeys.map((key) => [key, undefined]));
  for (const [key, ref] of Object.entries(contextRefs)) external.set(key, ref);
  for (const [key, value] of Object.entries(context)) {
    const reason = contextProblem(value);
    external.set(key, reason === undefined ? contextRef(value) : undefined);
    if (reason === undefined) continue;
    issues.add('error', 'invalid-context', ROOT, () => ({
      message: `The context ${quote(key)}, which is given from outside, ${NO_CONTEXT[reason]}. Give another value.`,
      expected: 'a JSON value',
      got: describeValue(value),
    }));
  }
  return external;
}

const NO_CONTEXT = {
  'not-json': 'is or holds something that JSON cannot hold',
  'lone-surrogate': 'holds half of a surrogate pair, which no encoding can carry',
  'too-deep': `has more than ${CONTEXT_DEPTH} levels of lists and objects`,
  'too-large': 'is too large',
};

function noteUnread(
  { context = {}, isStep = false }: CompileOptions,
  { external = [] }: StoredPlan,
  issues: IssueList,
) {
  const unread = isStep ? [] : Object.keys(context).filter((key) => !external.includes(key));
  if (unread.length === 0) return;
  issues.add('warning', 'unread-context', ROOT, () => ({
    message: `No task reads the context ${listNames(unread)}: it is given to none, and no approval is about it. Name it in the "inputs" of a step of a list, or leave it out.`,
  }));
}

function storedFacts({
  complexity,
  estimatedMinutes,
  inputs,
}: ReadSteps): Pick<StoredPlan, 'complexity' | 'estimatedMinutes' | 'external'> {
  const external = [...new Set(inputs.flatMap(({ externalInputs = [] }) => externalInputs))].sort();
  return {
    ...(complexity !== undefined && { complexity }),
    ...(estimatedMinutes !== undefined && { estimatedMinutes }),
    ...(external.length > 0 && { external }),
  };
}

function refuseValue(value: unknown, issues: IssueList): ReadPlan {
  const isJson =
    value === null ||
    Array.isArray(value) ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value);
  issues.add('error', isJson ? 'unknown-format' : 'not-json', ROOT, () => ({
    message: `The document is ${describeValue(value)}. A plan is an object: { "goal": "...", "plan": { ... } }.`,
    expected: 'an object',
    got: describeValue(value),
  }));
  return NOTHING;
}

function limitsOf(options: CompileOptions): Limits {
  const limits = { ...FILE_LIMITS, ...options.limits };
  return { ...limits, depth: Math.min(limits.depth, FILE_LIMITS.depth) };
}
