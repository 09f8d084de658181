import { cutCharacters, oneLine } from '../text/index.ts';

/**
 * Every code that an error or a warning can have. `planwright compile` and `InvalidPlan` report all issues at once,
 * each as `{ code, severity, path, message, nodeId?, expected?, got?, line?, column? }`; `path` is a JSONPath.
 *
 * A model that writes a plan as a flat list of nodes (docs/planning.md) gets the same codes with paths of its list:
 * `missing-plan` for a revision without nodes, `duplicate-step-key` for an id that occurs twice, `unknown-reference`
 * for an id without a node, and `cyclic-reference` for nodes that need each other. `several-documents` means that
 * several nodes are not an input of any other.
 */
export const ISSUE_CODES = [
  // The following codes are about the text of a document.
  /** The document is empty. @fix Send a plan. */
  'empty-document',
  /** The bytes are not UTF-8 text. @fix Save the file as UTF-8. */
  'not-text',
  /** The text is not JSON. The issue has the line and the column. @fix Correct the syntax at that position. */
  'invalid-json',
  /** The text ends before its root value is closed. @fix Send the whole document. */
  'truncated-document',
  /** An object has the same key twice. @fix Keep one of the two. */
  'duplicate-key',
  /** The document has more bytes than the limit. @fix Split the plan, or raise the limit. */
  'too-large',
  /** A number would lose digits if it were read as a number (warning). @fix Write it as text. */
  'inexact-number',
  /** The document is not a plan in a supported format. @fix Write `{ "goal": "...", "plan": { ... } }`. */
  'unknown-format',
  /** Planwright removed text around the document (warning). @fix Nothing, or send the document alone. */
  'surrounding-text',
  /** Planwright repaired the syntax or the form of an argument (warning, once per place). @fix Correct the document. */
  'repaired-syntax',
  /** The text contains more than one plan. In a reply of a model, the last plan counts. @fix Send one plan. */
  'several-documents',
  /** The text is not YAML 1.2. The issue has the line and the column. @fix Correct the syntax at that position. */
  'invalid-yaml',
  /** The text is not well-formed XML. The issue has line and column. @fix Correct the syntax there. */
  'invalid-xml',
  /** The XML has a document type, a declaration or a processing instruction. @fix Remove it. */
  'forbidden-xml',
  /** The compiler failed on a text, which is a bug in Planwright. @fix Report it with the document. */
  'compiler-fault',
  // The following codes are about a document as a whole.
  /** The object passed to the compiler is not JSON. @fix Pass text, or what `JSON.parse` returns. */
  'not-json',
  /** The goal is missing or blank (only a warning if a list of steps has none). @fix Say what the plan is for. */
  'missing-goal',
  /** The document has no `plan`. @fix Put the root node under `plan`. */
  'missing-plan',
  /** The document has a key beside `goal` and `plan`. @fix Move nodes under `plan`, run options to the command line. */
  'unknown-top-level-key',
  // The following codes are about a single node.
  /** A value that should be a node is something else. @fix Write an object with a `type`. */
  'not-a-node',
  /** The type of a node is unknown. @fix Use `task` or `combine`. */
  'node-type',
  /** A node is only a reference to an id. @fix Write the whole node again; equal nodes are merged. */
  'id-only',
  /** The text of a task is missing. @fix Say in `task` what is to be done. */
  'missing-task',
  /** The `task` is not text. @fix Write text. */
  'invalid-task',
  /** A text has half of a surrogate pair, or a field that must be text is not text. @fix Write well-formed text. */
  'invalid-text',
  /** The `context` of a task, or a value from outside the plan, is not JSON. @fix Write JSON. */
  'invalid-context',
  /** An argument does not fit the capability; one issue for each field. @fix Follow `expected`. */
  'invalid-arguments',
  /**
   * The arguments have a key, at any level, that the schema of the capability would drop. @fix Follow the suggestion,
   * or remove the key. A schema that should accept any key says `z.looseObject`.
   */
  'unknown-argument',
  /**
   * A key belongs to another system, or is unknown. This is a warning if the key was read under its name here or is
   * unused. It is an error if the key would control the step, contains a part of the plan, is nearly a missing key, or
   * contradicts another. @fix Write the key of this project, do what the message says, or remove the key.
   */
  'unknown-key',
  /** A key is known but has no effect at this place (warning). @fix Remove it. */
  'ignored-key',
  /** A number or a boolean is written where text is expected (warning). @fix Write text. */
  'coerced-text',
  // The following codes are about combines.
  /** A combine lacks one of its two inputs. @fix Give `left` and `right`. */
  'missing-operand',
  /** A combine has more than two inputs. @fix Nest combines. */
  'too-many-operands',
  /** The operator is missing or unknown. @fix Use one of the listed operators, or do what the message says. */
  'unknown-operator',
  /** The operator is LONLY or RONLY, which have two meanings. @fix Use MINUS, RMINUS, or one side alone. */
  'ambiguous-operator',
  /** A parameter of COLOCATE is invalid. @fix Follow `expected`. */
  'invalid-colocate',
  /** Another operator than COLOCATE has parameters of COLOCATE. @fix Remove them, or use COLOCATE. */
  'misplaced-colocate',
  // The following codes are about lists of steps.
  /** A step says in `undoes` what it undoes, in another form than `planwright undo` writes. @fix Use that command. */
  'invalid-undoes',
  /** The document has no list of `steps`. @fix Write the steps as a list. */
  'missing-steps',
  /** A value that should be a step is something else. @fix Write an object. */
  'not-a-step',
  /** A step has no key, so its position is its key (warning). @fix Give it a `context_key` or a `step_id`. */
  'missing-step-key',
  /** The key of a step cannot be the key of a result. @fix Choose another key. */
  'invalid-step-key',
  /** Two steps have the same key. @fix Give each its own. */
  'duplicate-step-key',
  /** `inputs` or `dependencies` do not have the expected form. @fix Follow `expected`. */
  'invalid-inputs',
  /** A step names a key of neither a step nor the run's context. @fix Use one of `expected`, or `--context-keys`. */
  'unknown-reference',
  /** A result is named in the notation of another system, and was read (warning). @fix Write `result_from_step_KEY`. */
  'foreign-reference',
  /**
   * A result is named where none is inserted: inside a text, with a path, or in a tree (error); or braces name nothing
   * in the plan (warning). @fix Make the whole argument `result_from_step_KEY`; in a tree, use `input`.
   */
  'unread-reference',
  /** A step names itself. @fix Name an earlier step. */
  'self-reference',
  /** A step names a later one. @fix Put that step before this one. */
  'forward-reference',
  /** Steps wait for each other. @fix Remove one of these references. */
  'cyclic-reference',
  /** The document or the call has a value that no task uses (warning). @fix Name it in the `inputs` of a step. */
  'unread-context',
  /** The list ended without respond or clarify; a respond was added (warning). @fix Write the respond yourself. */
  'added-respond',
  /** `complexity` is not low, medium or high; it counts as medium (warning). @fix Use one of the three. */
  'invalid-complexity',
  /** `estimated_time` is not a plain number of minutes (warning). @fix Write a number of minutes. */
  'invalid-estimate',
  // The following codes are about the size of a plan.
  /** The plan has more levels of nodes than the limit. @fix Flatten the plan, or write steps. */
  'too-deep',
  /** The plan has more nodes than the limit. @fix Split the plan, or raise `--max-nodes`. */
  'too-many-nodes',
  /** A JSON value inside a node has too many levels. @fix Flatten it. */
  'value-too-deep',
  /** The structure, keys and names of a plan take more than 10 million characters. @fix Split it into several plans. */
  'too-large-to-run',
  // The following codes are about executors.
  /** A task names no capability and no agent, and there is no default. @fix Name one, or set `tasks.default`. */
  'no-executor',
  /** No capability has this name, or it is blank. @fix Use one of `expected`. */
  'unknown-capability',
  /** No agent has this name, or it is blank. @fix Use one of `expected`. */
  'unknown-agent',
  /**
   * The resource that a task writes to is unknown, because another step's result names it or the capability's
   * `resource` is wrong. @fix Write the value in the plan, or fix the capability.
   */
  'unknown-resource',
  /** A set operator has an input that gives no set. @fix Use one of `expected`, or a task that takes both inputs. */
  'not-a-set',
  /** A new plan repeats a failed node without a change. @fix Change the node or its inputs, or leave it out. */
  'failed-before',
  // The following codes are notes.
  /** A node equals another node, and both run once (note). @fix Nothing. */
  'merged-node',
  /** There are more issues than the list can have. @fix Correct the listed issues first. */
  'more-issues',
] as const;

/** The stable code of a `PlanIssue`. docs/errors.md says what to do about each code. */
export type IssueCode = (typeof ISSUE_CODES)[number];

/** The weight of an issue. A document with an `error` does not compile; with a `warning` or a `note` it does. */
export type Severity = 'error' | 'warning' | 'note';

/** A problem in a plan document: a stable code, the place, and a sentence that says what is wrong and what to do. */
export interface PlanIssue {
  readonly code: IssueCode;
  readonly severity: Severity;
  /** The JSONPath of the place; `$` is the document. A path of over 200 characters is shortened in its middle. */
  readonly path: string;
  readonly message: string;
  /** The id that the document gives to the node, so that the author finds the node. */
  readonly nodeId?: string;
  readonly expected?: string | readonly string[];
  readonly got?: string;
  /** The line in the text, counted from 1. Absent if the document was not text. */
  readonly line?: number;
  readonly column?: number;
}

const MAX_LINES = 5;
const MAX_LINE = 300;
/** Warnings that never change what a plan does. They are listed after all others. */
const NOTES: readonly IssueCode[] = [
  ...(['surrounding-text', 'missing-goal', 'missing-step-key'] as const),
  ...(['unread-context', 'invalid-complexity', 'invalid-estimate'] as const),
];

export function warningLines(issues: readonly PlanIssue[]): readonly string[] {
  const issueTexts = issues
    .filter(({ severity, code }) => severity === 'warning' && code !== 'added-respond')
    .toSorted((a, b) => Number(NOTES.includes(a.code)) - Number(NOTES.includes(b.code)));
  const lines = issueTexts
    .slice(0, MAX_LINES)
    .map(({ path, message }) => cutCharacters(oneLine(`${path}: ${message}`), MAX_LINE));
  return issueTexts.length > MAX_LINES ? [...lines, `${issueTexts.length - MAX_LINES} more warnings`] : lines;
}
