import { isPlainObject } from './canonical-json.ts';
import { checkExecutors } from './check-executors.ts';
import { describeValue } from './describe-value.ts';
import { completePlan } from './encode-plan.ts';
import { IssueList } from './issue-list.ts';
import { ROOT } from './json-path.ts';
import { FILE_LIMITS } from './limits.ts';
import { numberNodes } from './number-nodes.ts';
import { readJson, readText } from './read-document.ts';
import { readTree } from './read-tree.ts';
import type { Catalogue, Executor } from './catalogue.ts';
import type { CompiledPlan, NodeId, StoredPlan } from './compiled-plan.ts';
import type { PlanIssue } from './issue.ts';
import type { Limits } from './limits.ts';
import type { Draft, Reading } from './plan-reading.ts';

export type PlanFormat = 'tree' | 'steps' | 'xml';

export interface CompileOptions {
  /** Default `auto`: the format is told by the content. */
  readonly format?: 'auto' | PlanFormat;
  /** With it, every task is resolved to its executor and its arguments are checked. */
  readonly catalogue?: Catalogue;
  /** The capability names that the plan may use. `respond` and `clarify` always exist. */
  readonly capabilities?: readonly string[];
  /** The agent names that the plan may use, in any case. */
  readonly agents?: readonly string[];
  /** Default `FILE_LIMITS`. */
  readonly limits?: Partial<Limits>;
}

export type CompileResult =
  | {
      readonly ok: true;
      readonly plan: CompiledPlan;
      /** Warnings and notes. */
      readonly warnings: readonly PlanIssue[];
      /** The executor of every task; only when there was a catalogue. */
      readonly executors?: { readonly [id: NodeId]: Executor };
    }
  | {
      readonly ok: false;
      /** Errors, warnings and notes. */
      readonly issues: readonly PlanIssue[];
    };

/**
 * Compiles a plan document: text, UTF-8 bytes or parsed JSON. All problems are reported together.
 * Never throws, whatever the document is.
 */
export function compilePlan(document: unknown, options: CompileOptions = {}): CompileResult {
  const issues = new IssueList();
  const read =
    typeof document === 'string' ? readPlanText(document, options, issues) : readForeign(document, options, issues);
  const executorOf = checkExecutors(read.drafts, options, issues);
  if (issues.errors > 0) return { ok: false, issues: issues.list() };
  const { nodes, executors } = numberNodes(read.drafts, executorOf, issues);
  const stored: StoredPlan = {
    version: 1,
    goal: read.goal,
    root: nodes.at(-1)!.id,
    tasks: nodes.filter((node) => node.kind === 'task'),
    combines: nodes.filter((node) => node.kind === 'combine'),
  };
  const plan = completePlan(stored, nodes);
  return { ok: true, plan, warnings: issues.list(), ...(options.catalogue === undefined ? {} : { executors }) };
}

/** What was read; when it is not everything that a plan needs, there is an error. */
interface ReadPlan {
  readonly goal: string;
  readonly drafts: readonly Draft[];
}

const NOTHING: ReadPlan = { goal: '', drafts: [] };

/** Getters and proxies are no JSON and can do anything, fail included; after this, only our own records are read. */
function readForeign(document: unknown, options: CompileOptions, issues: IssueList): ReadPlan {
  try {
    const read =
      document instanceof Uint8Array
        ? readPlanText(document, options, issues)
        : readPlanValue(document, options, issues);
    if (issues.errors > 0 || isWholeTree(read.drafts)) return read;
  } catch {
    // The error belongs to the object that was given; the issue says all that can be done about it.
  }
  issues.add('error', 'not-json', ROOT, () => ({
    message: 'The document is an object that cannot be read as JSON. Give it as text, or as what JSON.parse returns.',
    expected: 'parsed JSON',
  }));
  return NOTHING;
}

function readPlanText(document: string | Uint8Array, options: CompileOptions, issues: IssueList): ReadPlan {
  const text = readText(document, limitsOf(options).bytes, issues);
  if (text === undefined) return NOTHING;
  const format = options.format ?? 'auto';
  if (format === 'xml' || (format === 'auto' && text.trimStart().startsWith('<'))) return refuseFormat('XML', issues);
  const json = readJson(text, issues);
  return json === undefined ? NOTHING : readPlanValue(json.value, options, issues);
}

function readPlanValue(value: unknown, options: CompileOptions, issues: IssueList): ReadPlan {
  if (!isPlainObject(value)) return refuseValue(value, issues);
  const { format = 'auto' } = options;
  if (format === 'xml') return refuseFormat('XML', issues);
  if (format === 'steps' || (format === 'auto' && value['steps'] != null && value['plan'] == null)) {
    return refuseFormat('steps', issues);
  }
  const limits = limitsOf(options);
  const reading: Reading = { issues, limits, budget: { left: limits.bytes }, drafts: [], waiting: [] };
  const goal = readTree(value, reading);
  return { goal: goal ?? '', drafts: reading.drafts };
}

function refuseFormat(format: 'XML' | 'steps', issues: IssueList): ReadPlan {
  issues.add('error', 'unknown-format', ROOT, () => ({
    message: `This is a plan in the format ${format}, and this version reads only trees: { "goal": "...", "plan": { ... } }.`,
    expected: 'a tree',
    got: format,
  }));
  return NOTHING;
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

/** Whether the drafts are exactly one tree; an object that answers differently each time can make them none. */
function isWholeTree(drafts: readonly Draft[]): boolean {
  let missing = 1;
  for (const { arity } of drafts) {
    if (missing === 0) return false;
    missing += arity - 1;
  }
  return missing === 0;
}

function limitsOf(options: CompileOptions): Limits {
  return { ...FILE_LIMITS, ...options.limits };
}
