/**
 * Problems found in a plan document. An issue is data: a stable code, a JSONPath to the place, a sentence that says
 * what is wrong, and where it helps what was expected, what came and what to do.
 */

import { cutCharacters, oneLine } from '../text/index.ts';

/**
 * Every code an error or a warning can have. `planwright compile` and `InvalidPlan` report all of them at once, each as
 * `{ code, severity, path, message, nodeId?, expected?, got?, line?, column? }`; `path` is a JSONPath.
 *
 * A model that writes a plan as a flat list of nodes (docs/planning.md) is told the same codes with the paths of its list: a list
 * without nodes is a `missing-plan` in a revision, an id that stands twice a `duplicate-step-key`, one that no node has an
 * `unknown-reference`, nodes that need each other a `cyclic-reference`, and nodes that nothing takes are `several-documents`.
 */
export const ISSUE_CODES = [
  // The document as text.
  /** There is nothing in the document. @fix Send a plan. */
  'empty-document',
  /** The bytes are not UTF-8 text. @fix Save the file as UTF-8. */
  'not-text',
  /** The text is not JSON; line and column say where. @fix Mend the syntax there. */
  'invalid-json',
  /** The text ends before its root closes. @fix Send the whole document. */
  'truncated-document',
  /** An object has a key twice. @fix Keep one. */
  'duplicate-key',
  /** More bytes than the limit. @fix Split the plan, or raise the limit. */
  'too-large',
  /** A number would not survive as it is written (warning). @fix Write it as text. */
  'inexact-number',
  /** The document is not a plan in a supported format. @fix Write `{ "goal": "...", "plan": { ... } }`. */
  'unknown-format',
  /** Text around the document was taken off (warning). @fix Nothing, or send the document alone. */
  'surrounding-text',
  /** Planwright repaired syntax, or the form of an argument; once per place (warning). @fix Mend it in the document. */
  'repaired-syntax',
  /** There is more than one plan; of a model's reply the last one counts. @fix Send one plan. */
  'several-documents',
  /** The text is not YAML 1.2; line and column say where. @fix Mend the syntax there. */
  'invalid-yaml',
  /** The text is not well-formed XML; line and column say where. @fix Mend the syntax there. */
  'invalid-xml',
  /** A document type, a declaration or a processing instruction. @fix Take it out. */
  'forbidden-xml',
  /** The compiler failed on a text: a fault of this program. @fix Report it with the document. */
  'compiler-fault',
  // The document as a whole.
  /** The object passed to the compiler is not JSON. @fix Pass text, or what `JSON.parse` returns. */
  'not-json',
  /**
   * The goal is missing or blank (absent from a list of steps: a warning). @fix Say in a sentence what the plan is
   * for.
   */
  'missing-goal',
  /** There is no `plan`. @fix Put the root node under `plan`. */
  'missing-plan',
  /** Beside `goal` and `plan` there is another key. @fix Put nodes under `plan`, run options on the command line. */
  'unknown-top-level-key',
  // One node.
  /** Where a node belongs there is something else. @fix Write an object with a `type`. */
  'not-a-node',
  /** The type of a node is unknown. @fix Use `task` or `combine`. */
  'node-type',
  /** A node is only a reference to an id. @fix Write the node out; equal nodes are merged. */
  'id-only',
  /** A task says nothing. @fix Say in `task` what is to be done. */
  'missing-task',
  /** The `task` is not text. @fix Write text. */
  'invalid-task',
  /** A text has half a surrogate pair, or a field that must be text is none. @fix Write well-formed text. */
  'invalid-text',
  /** The `context` of a task, or a value from outside the plan, is not JSON. @fix Write JSON. */
  'invalid-context',
  /** An argument does not fit the capability; one issue for each field. @fix Follow `expected`. */
  'invalid-arguments',
  /**
   * A key of the arguments is not in the schema of the capability, which would drop it, at any level. @fix Follow the
   * suggestion, or take it out; a schema that is to take it says `z.looseObject`.
   */
  'unknown-argument',
  /**
   * A key of another system was read as ours, or a key is not known and not used (warnings); it governs the step, is
   * nearly a key that is missing, holds a part of the plan, or differs from what it means (errors). @fix Write the key
   * of ours, or what the message says, or take it out.
   */
  'unknown-key',
  /** A key is known and has no effect here (warning). @fix Take it out. */
  'ignored-key',
  /** A number or a boolean where text is expected (warning). @fix Write text. */
  'coerced-text',
  // Combines.
  /** A combine lacks a side. @fix Give `left` and `right`. */
  'missing-operand',
  /** A combine has more than two inputs. @fix Nest combines. */
  'too-many-operands',
  /** The operator is missing or unknown. @fix Use one that is listed, or what the message says. */
  'unknown-operator',
  /** LONLY and RONLY have two readings. @fix Use MINUS, RMINUS, or the side itself. */
  'ambiguous-operator',
  /** A parameter of COLOCATE does not fit. @fix Follow `expected`. */
  'invalid-colocate',
  /** Parameters of COLOCATE at another operator. @fix Take them out, or use COLOCATE. */
  'misplaced-colocate',
  // Lists of steps.
  /** There is no list of `steps`. @fix Write the steps as a list. */
  'missing-steps',
  /** Where a step belongs there is something else. @fix Write an object. */
  'not-a-step',
  /** A step has no key; its position is taken (warning). @fix Give it a `context_key` or a `step_id`. */
  'missing-step-key',
  /** The key of a step cannot be the key of a result. @fix Choose another key. */
  'invalid-step-key',
  /** Two steps have one key. @fix Give each its own. */
  'duplicate-step-key',
  /** `inputs` or `dependencies` are not written as they should be. @fix Follow `expected`. */
  'invalid-inputs',
  /**
   * A step names a key that no step has, nor the context of the run. @fix Use one of `expected`, or `--context-keys`.
   */
  'unknown-reference',
  /** A result is named in the notation of another system, and read (warning). @fix Write `result_from_step_KEY`. */
  'foreign-reference',
  /**
   * A name of a result where results are not inserted: inside a text, with a path, or in a tree (error), or braces name
   * nothing in the plan (warning). @fix Make the whole argument `result_from_step_KEY`; in a tree, use `input`.
   */
  'unread-reference',
  /** A step names itself. @fix Name an earlier step. */
  'self-reference',
  /** A step names a later one. @fix Put that step before this one. */
  'forward-reference',
  /** Steps wait for each other. @fix Take one reference of the circle out. */
  'cyclic-reference',
  /**
   * A value from outside is given, and no task names it (warning). @fix Name it in the `inputs` of a step, or leave it
   * out.
   */
  'unread-context',
  /** The list did not end with respond or clarify; a respond was added (warning). @fix Write the respond yourself. */
  'added-respond',
  /** `complexity` is not low, medium or high; it counts as medium (warning). @fix Use one of the three. */
  'invalid-complexity',
  /** `estimated_time` is not a plain number of minutes (warning). @fix Write a number of minutes. */
  'invalid-estimate',
  // Size.
  /** More node levels than the limit. @fix Flatten the plan, or raise `--max-depth`. */
  'too-deep',
  /** More nodes than the limit. @fix Split the plan, or raise `--max-nodes`. */
  'too-many-nodes',
  /** JSON inside a node is nested too deep. @fix Flatten it. */
  'value-too-deep',
  /** A plan's shape, keys and names take more than 10 million characters. @fix Split it into several plans. */
  'too-large-to-run',
  // Executors.
  /** A task names no capability or agent, and there is no default. @fix Name a capability, or set `tasks.default`. */
  'no-executor',
  /** No capability has this name, or it is blank. @fix Use one of `expected`. */
  'unknown-capability',
  /** No agent has this name, or it is blank. @fix Use one of `expected`. */
  'unknown-agent',
  /**
   * The resource that a task writes to is unknown: another step's result names it, or `resource` of the capability is
   * wrong. @fix Write it in the plan, or fix the capability.
   */
  'unknown-resource',
  /**
   * An operator joins what gives a text or a value, as the project declares it. @fix Use one of `expected`, or let a
   * task take both results.
   */
  'not-a-set',
  /**
   * A replanned plan repeats a node that failed, unchanged. @fix Change the node or what it takes, or do without it.
   */
  'failed-before',
  // Notes.
  /** A node equals another and runs once with it (note). @fix Nothing. */
  'merged-node',
  /** There are more than are listed. @fix Mend these first. */
  'more-issues',
] as const;

/** The stable code of a `PlanIssue`. docs/errors.md says what to do about each. */
export type IssueCode = (typeof ISSUE_CODES)[number];

/** The weight of an issue: a document with an `error` does not compile, one with a `warning` or a `note` does. */
export type Severity = 'error' | 'warning' | 'note';

/** A problem in a plan document: a stable code, the place, and a sentence that says what is wrong and what to do. */
export interface PlanIssue {
  readonly code: IssueCode;
  readonly severity: Severity;
  /** JSONPath of the place, `$` for the whole document. Over 200 characters it is shortened in its middle. */
  readonly path: string;
  /** The fault and the cure, in one or two sentences. */
  readonly message: string;
  /** The id that the document gave to the node, echoed so that its writer finds it. */
  readonly nodeId?: string;
  readonly expected?: string | readonly string[];
  readonly got?: string;
  /** 1-based position in the text, where the document came as text. */
  readonly line?: number;
  readonly column?: number;
}

const MAX_LINES = 5;
const MAX_LINE = 300;
/** Notes that do not change what a plan does. Warnings that may change its meaning come first. */
const NOTES: readonly IssueCode[] = [
  ...(['surrounding-text', 'missing-goal', 'missing-step-key'] as const),
  ...(['unread-context', 'invalid-complexity', 'invalid-estimate'] as const),
];

/**
 * At most five warnings, one per line, and the number of others: first those that may change the meaning, then notes.
 * An added answer is left out, since the plan shows it.
 */
export function warningLines(issues: readonly PlanIssue[]): readonly string[] {
  const issueTexts = issues
    .filter(({ severity, code }) => severity === 'warning' && code !== 'added-respond')
    .toSorted((a, b) => Number(NOTES.includes(a.code)) - Number(NOTES.includes(b.code)));
  const lines = issueTexts
    .slice(0, MAX_LINES)
    .map(({ path, message }) => cutCharacters(oneLine(`${path}: ${message}`), MAX_LINE));
  return issueTexts.length > MAX_LINES ? [...lines, `${issueTexts.length - MAX_LINES} more warnings`] : lines;
}
