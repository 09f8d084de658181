/**
 * Problems found in a plan document. An issue is data: a stable code, a JSONPath to the place, a sentence that says
 * what is wrong, and where it helps what was expected, what came and what to do.
 */

/** Every code an error or a warning can have. docs/errors.md lists them all; a test compares the two. */
export const ISSUE_CODES = [
  // The document as text.
  'empty-document',
  'not-text',
  'invalid-json',
  'truncated-document',
  'duplicate-key',
  'too-large',
  'inexact-number',
  'unknown-format',
  'surrounding-text',
  'repaired-syntax',
  'several-documents',
  'invalid-yaml',
  'invalid-xml',
  'forbidden-xml',
  // The document as a whole.
  'not-json',
  'missing-goal',
  'missing-plan',
  'unknown-top-level-key',
  // One node.
  'not-a-node',
  'node-type',
  'id-only',
  'missing-task',
  'invalid-task',
  'invalid-text',
  'invalid-context',
  'invalid-arguments',
  'unknown-argument',
  'unknown-key',
  'ignored-key',
  'coerced-text',
  // Combines.
  'missing-operand',
  'too-many-operands',
  'unknown-operator',
  'ambiguous-operator',
  'invalid-colocate',
  'misplaced-colocate',
  // Lists of steps.
  'missing-steps',
  'not-a-step',
  'missing-step-key',
  'invalid-step-key',
  'duplicate-step-key',
  'invalid-inputs',
  'unknown-reference',
  'self-reference',
  'forward-reference',
  'cyclic-reference',
  'unread-context',
  'added-respond',
  'invalid-complexity',
  'invalid-estimate',
  // Size.
  'too-deep',
  'too-many-nodes',
  'value-too-deep',
  'too-large-to-run',
  // Executors.
  'no-executor',
  'unknown-capability',
  'unknown-agent',
  'unknown-resource',
  'not-a-set',
  'failed-before',
  // Notes.
  'merged-node',
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
