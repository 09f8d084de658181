/** The stage that writes the plan: one call, and its outcome. */

import type { PlanningTrouble, Question } from '../protocol/index.ts';
import type { PlanIssue } from '../plan/index.ts';
import { settle, trouble, type PlannerDesk, type Staged, type StageFailed } from './desk.ts';
import {
  inReplyTerms,
  issueLines,
  nodesDocument,
  ownDocument,
  readPlanReply,
  xmlDocument,
  type BuiltDocument,
  type WrittenDocument,
} from './form/index.ts';
import { quote } from '../plan/text/index.ts';
import type { ModelReply } from '../models/index.ts';
import type { PlannerNotes } from './notes.ts';
import { BASE_CHARACTERS, writeRequest, xmlRequest } from './prompts/index.ts';

/** The answer of the caller's compiler to a document. */
export type Compiled =
  | { readonly ok: true; readonly warnings?: readonly PlanIssue[] }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/** Compiles under the limits of models (`MODEL_LIMITS`), with the project's catalogue; one step alone gets no answer added. */
export type Compile<Result extends Compiled> = (
  document: WrittenDocument,
  options?: { readonly isStep: true },
  /** What was mended before: told with the warnings of the compiler. */
  mended?: readonly PlanIssue[],
) => Promise<Result> | Result;

/** The outcomes of a stage that has a document, and needs no model to write one. */
export type WithoutModel<Result extends Compiled> =
  | Written<Result>
  | { readonly is: 'invalid'; readonly trouble: PlanningTrouble; readonly issues: readonly PlanIssue[] }
  | StageFailed;

export type WriteOutcome<Result extends Compiled> =
  | WithoutModel<Result>
  | { readonly is: 'asks'; readonly question: Question };

/** The document is in the notes. */
export interface Written<Result extends Compiled> {
  readonly is: 'written';
  readonly compiled: Extract<Result, { ok: true }>;
  /** The remarks of the reply beside its plan, the parts of it that were mended, and what the compiler warns of. */
  readonly warnings: readonly PlanIssue[];
}

/**
 * Asks for the plan once. A reply that is no plan is noted, so that the next call is told of it.
 * @throws ModelError where another attempt may help
 */
export async function writePlan<Result extends Compiled>(
  desk: PlannerDesk,
  notes: PlannerNotes,
  compile: Compile<Result>,
): Promise<Staged<WriteOutcome<Result>>> {
  const { capabilities, agents, prompts, format, defaultExecutor } = desk;
  const { selected, revise } = notes;
  if (revise !== undefined && revise.base.length > BASE_CHARACTERS) {
    return { notes, outcome: { is: 'failed', trouble: trouble('CRITICAL', TOO_LONG_TO_REVISE) } };
  }
  const offered = selected.length === 0 ? capabilities : capabilities.filter(({ name }) => selected.includes(name));
  const hasDefault = defaultExecutor !== undefined;
  const instructed = { capabilities: offered, agents, prompts, hasDefault };
  const request = (format === 'xml' ? xmlRequest : writeRequest)(notes, instructed);
  let reply: ModelReply;
  try {
    reply = await desk.ask(request, 'write', desk.onText);
  } catch (error) {
    const { trouble: told, isReply } = settle(desk, error);
    return isReply ? noPlan(notes, '', told, []) : { notes, outcome: { is: 'failed', trouble: told } };
  }
  const text = reply.text === '' && reply.value !== undefined ? JSON.stringify(reply.value) : reply.text;
  const unfinished = UNFINISHED[reply.finish];
  if (unfinished !== undefined) return noPlan(notes, text, trouble('REPLANNING', unfinished(text)), []);
  const read = readPlanReply(reply);
  if (read.is === 'question') {
    const { question } = read;
    const problem = desk.questionProblem?.(question);
    if (problem !== undefined) return noPlan(notes, text, trouble('REPLANNING', `- $.question: ${problem}`), []);
    return { notes: withQuestion(notes, question), outcome: { is: 'asks', question } };
  }
  if (read.is === 'nothing') return noPlan(notes, text, troubleFrom(read.issues), read.issues);
  const contextKeys = notes.context.map(({ key }) => key);
  const built: BuiltDocument =
    read.is === 'xml'
      ? xmlDocument(notes.goal, read.text, contextKeys)
      : read.is === 'nodes'
        ? nodesDocument(notes.goal, read, contextKeys, revise?.form)
        : ownDocument(notes.goal, read.document, contextKeys, revise?.form);
  if (!built.ok) return noPlan(notes, text, troubleFrom(built.issues), built.issues);
  const mended = [...read.ignored, ...(built.warnings ?? [])];
  const compiled = await compile(built.document, undefined, mended);
  if (!compiled.ok) {
    const issues = read.is === 'nodes' ? inReplyTerms(compiled.issues, read.nodes) : compiled.issues;
    return noPlan(notes, text, troubleFrom(issues), issues);
  }
  // An answer that was added stands in the plan for all to see.
  const isTold = ({ severity, code }: PlanIssue) => severity === 'warning' && code !== 'added-respond';
  const seen = compiled.warnings?.filter(isTold) ?? [];
  return written(notes, built.document, compiled, [...mended, ...seen]);
}

/** Compiles the document of a stage that has one without a model. */
export async function compilePlanOf<Result extends Compiled>(
  notes: PlannerNotes,
  document: WrittenDocument,
  compile: Compile<Result>,
): Promise<Staged<WithoutModel<Result>>> {
  const compiled = await compile(document);
  if (compiled.ok) return written(notes, document, compiled, []);
  return { notes, outcome: { is: 'invalid', trouble: troubleFrom(compiled.issues), issues: compiled.issues } };
}

function written<Result extends Compiled>(
  notes: PlannerNotes,
  document: WrittenDocument,
  result: Result,
  warnings: readonly PlanIssue[],
): Staged<Written<Result>> {
  // The compiler has said that it is the one of the two.
  const compiled = result as Extract<Result, { ok: true }>;
  return { notes: { ...notes, written: document }, outcome: { is: 'written', compiled, warnings } };
}

const TOO_LONG_TO_REVISE = `The open plan takes more than ${BASE_CHARACTERS} characters, and a model would have to write all of it again. Edit it by hand.`;

/** The client judges no plan. */
const UNFINISHED: { readonly [finish in ModelReply['finish']]?: (text: string) => string } = {
  length: () => 'The reply was cut off, since it is longer than may be written. Write a smaller plan.',
  refusal: (text) => `The reply is a refusal and no plan: ${quote(text)}`,
  'content-filter': () => 'The reply was stopped by a content filter. Say the same in other words.',
};

function withQuestion(notes: PlannerNotes, question: Question): PlannerNotes {
  return { ...notes, turns: [...notes.turns, { is: 'question', question }] };
}

function noPlan(
  notes: PlannerNotes,
  reply: string,
  told: PlanningTrouble,
  issues: readonly PlanIssue[],
): Staged<Extract<WriteOutcome<Compiled>, { is: 'invalid' }>> {
  const turns = [...notes.turns, { is: 'try', reply, trouble: told.message, issues } as const];
  return { notes: { ...notes, turns }, outcome: { is: 'invalid', trouble: told, issues } };
}

/** Osprey: hallucinated capabilities: other capabilities may be needed than were selected. */
export function troubleFrom(issues: readonly PlanIssue[]): PlanningTrouble {
  const isOfNames = issues.some(
    ({ code, severity }) => severity === 'error' && (code === 'unknown-capability' || code === 'unknown-agent'),
  );
  return trouble(isOfNames ? 'RECLASSIFICATION' : 'REPLANNING', issueLines(issues));
}
