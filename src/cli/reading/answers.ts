import { NO_WORDS, readYesNo, YES_WORDS } from '../../workflows/run/index.ts';
import { jsonFlaw, type JsonValue } from '../../plan/index.ts';
import { jsonIn, visible } from '../../plan/text/index.ts';
import { schemaText, type DecisionKind, type OpenItem } from '../../protocol/index.ts';
import { OperationError, wrongUsage } from '../../operations/index.ts';
import { fieldOf } from '../../operations/words/index.ts';

export function yesOrNo(text: string): boolean {
  const word = readYesNo(text);
  if (word !== 'unclear') return word === 'yes';
  throw new OperationError(
    'UNCLEAR',
    `${JSON.stringify(text)} is neither yes nor no, and nothing was sent. Say ${YES_WORDS.join(', ')} or ${NO_WORDS.join(', ')}; a reason goes with --comment`,
  );
}

/**
 * The typed answer: JSON if it parses as JSON, otherwise text. For a text schema, `42` is a text; for a boolean, words
 * such as yes and no count.
 * @param json accepts only JSON
 * @throws OperationError USAGE, or UNCLEAR for a word that is neither yes nor no
 */
export function readTypedAnswer(typed: string, schema: OpenItem['schema'], json = false): JsonValue {
  const parsed = jsonIn(typed) as JsonValue | undefined;
  const isText = !json && parsed !== undefined && !fits(parsed, schema) && fits(typed, schema);
  const flaw = isText ? undefined : jsonFlaw(typed);
  if (flaw !== undefined) throw wrongUsage(`the answer: ${flaw}`);
  if (json) {
    if (parsed === undefined) throw wrongUsage(`--json: ${JSON.stringify(typed)} is no JSON`);
    return parsed;
  }
  if (schema?.['type'] === 'boolean') return typeof parsed === 'boolean' ? parsed : yesOrNo(typed);
  if (parsed === undefined) return typed;
  return isText ? typed : parsed;
}

/** Whether the value fits the schema's type and `enum`: if so, a typed answer is JSON, else text. The run checks the rest. */
function fits(value: JsonValue, schema: OpenItem['schema'] = {}): boolean {
  const { enum: allowed, type } = schema;
  if (Array.isArray(allowed)) return allowed.includes(value);
  return type !== 'string' || typeof value === 'string';
}

interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

const LEAVE = { value: 'leave', label: 'leave it waiting', hint: 'decide later' } as const;

interface ChosenDecision {
  readonly kind: DecisionKind;
  readonly role?: string;
}

interface DecisionQuestion {
  /** The decision to offer. Default: `approve`, which also offers to reject. Other kinds are offered alone. */
  readonly kind?: DecisionKind;
  /** The roles that the run waits for, if the command names none. */
  readonly roles?: readonly string[] | undefined;
  /** If it aborts, the question disappears, as if the person chose `leave`. */
  readonly over?: AbortSignal;
}

export function askDecision(message: string, question: DecisionQuestion = {}): Promise<ChosenDecision | 'leave'> {
  return choose(message, decisionChoices(question), question.over);
}

/** Offers an approval for each role that the run waits for, since an approval without a role would not count. */
export function decisionChoices({ kind = 'approve', roles }: DecisionQuestion): readonly Choice<ChosenDecision>[] {
  if (kind !== 'approve' && kind !== 'reject') return [{ value: { kind }, label: kind }];
  const hint = 'exactly this plan runs';
  const approvals = (roles ?? [undefined]).map((role): Choice<ChosenDecision> =>
    role === undefined
      ? { value: { kind: 'approve' }, label: 'approve', hint }
      : { value: { kind: 'approve', role }, label: `approve as ${visible(role)}`, hint },
  );
  const reject = { value: { kind: 'reject' }, label: 'reject', hint: 'the run ends, or waits for an edit' } as const;
  return [...approvals, reject];
}

export async function askAnswer({
  text,
  schema,
  suggestions,
}: Pick<OpenItem, 'text' | 'schema' | 'suggestions'>): Promise<JsonValue | undefined> {
  const field = fieldOf({ schema, suggestions });
  if (field.kind !== 'choice') return askText(text, schema);
  const choices = field.values.map((value) => ({ value: { value }, label: wordOf(value) }));
  const chosen = await choose(text, choices);
  return chosen === 'leave' ? undefined : chosen.value;
}

async function askText(message: string, schema: OpenItem['schema']): Promise<JsonValue> {
  const { isCancel, text } = await import('@clack/prompts');
  const question = schema === undefined ? message : `${message}\n${schemaText(schema)}`;
  const typed = await text({ message: question, output: process.stderr });
  if (isCancel(typed)) throw interrupted();
  return readTypedAnswer(typed, schema);
}

async function choose<T>(message: string, choices: readonly Choice<T>[], over?: AbortSignal): Promise<T | 'leave'> {
  const { isCancel, select } = await import('@clack/prompts');
  // Each prompt has its own signal, since an answered prompt still writes if its signal aborts.
  const back = new AbortController();
  const takeBack = () => back.abort();
  over?.addEventListener('abort', takeBack, { once: true });
  const all: readonly Choice<T | 'leave'>[] = [...choices, LEAVE];
  const answer = await select<number>({
    message,
    // Preselects the choice that leaves the plan open, so that pressing Enter decides nothing.
    initialValue: choices.length,
    options: all.map(({ label, hint = '' }, value) => ({ value, label, ...(hint !== '' && { hint }) })),
    output: process.stderr,
    signal: back.signal,
  });
  over?.removeEventListener('abort', takeBack);
  if (!isCancel(answer)) return all[answer]?.value ?? 'leave';
  if (back.signal.aborted) return 'leave';
  throw interrupted();
}

function interrupted(): OperationError {
  return new OperationError('INTERRUPTED', 'interrupted; nothing was sent, and the run waits');
}

function wordOf(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
