import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { exactJson, type JsonValue } from '../plan/index.ts';
import { cutCharacters, hanging, oneLine, visible, withoutHidden } from '../plan/text/index.ts';
import type { OperationName } from '../operations/index.ts';
import {
  cardOf,
  controlOf,
  fieldOf,
  NOT_HAPPENED,
  readField,
  type AnswerField,
  type CardAction,
} from '../operations/words/index.ts';
import { given, isRecord, type OpenItem } from '../protocol/index.ts';

export interface HostMessage {
  readonly row: Extract<OperationName, 'decide' | 'answer' | 'control'>;
  readonly input: Readonly<Record<string, unknown>>;
}

export type FormReading =
  | { readonly ok: true; readonly message: HostMessage }
  | { readonly ok: false; readonly problem: string };

type HostField = ElicitRequestFormParams['requestedSchema']['properties'][string];
type Schema = Readonly<Record<string, JsonValue>>;

/** Maximum length of a plan for the person at a host, in characters. The plan's MCP resource has all of it. */
export const MAX_PLAN_TEXT = 12_000;
const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

/**
 * A form as MCP defines it (elicitation).
 * @param plan the text of the plan to approve
 * @example elicitationForm(question).requestedSchema.properties; // { value: { type: 'string', enum: ['1', '2'] } }
 */
export function elicitationForm(item: OpenItem, plan?: string): ElicitRequestFormParams {
  const [named] = fieldsOf(item);
  const properties = Object.fromEntries(named.map(([name, field]) => [name, hostField(field) ?? jsonField(field)]));
  const suggested = item.suggestions?.map((one) => JSON.stringify(one)).join(', ');
  const message = [
    hanging(visible(item.text, { lines: true })),
    item.asks,
    plan === undefined ? undefined : planPart(plan),
    suggested === undefined ? undefined : `suggested: ${oneLine(suggested)}`,
  ];
  return {
    mode: 'form',
    message: message.filter((line) => line !== undefined).join('\n'),
    requestedSchema: {
      type: 'object',
      properties,
      required: named.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
    },
  };
}

export function planPart(plan: string): string {
  const part = cutCharacters(visible(plan, { lines: true }), MAX_PLAN_TEXT);
  return plan.length > MAX_PLAN_TEXT ? `${part}\n${CUT}` : part;
}

const CUT = 'Not all of the plan is shown here: read its resource before you decide.';

export function readForm(item: OpenItem, content: unknown): FormReading {
  const sent = isRecord(content) ? content : {};
  const [named, whole] = fieldsOf(item);
  const names = named.map(([name]) => name);
  const stray = Object.keys(sent).filter((name) => !names.includes(name) && (sent[name] ?? null) !== null);
  if (stray.length > 0)
    return {
      ok: false,
      problem: `there is no ${cutCharacters(oneLine(stray.join(', ')), 80)}; known are ${names.join(', ')}`,
    };
  const texts = new Map(named.map(([name, field]) => [field.name, textsOf(field, sent[name])]));
  const read = readField(whole, (name) => texts.get(name) ?? []);
  if (read.ok && isRecord(read.value) && repeats(item, read.value)) {
    const { comment } = read.value;
    // Checks the reason here: the run would not notice that it is missing, since the host's name is added to the
    // comment.
    if (typeof comment !== 'string' || withoutHidden(comment).trim() === '')
      return { ok: false, problem: 'comment: expected how you know that it did not happen, and it was left blank' };
  }
  return read.ok ? { ok: true, message: messageOf(item, read.value) } : read;
}

/**
 * Reads a model's answer, which is one value instead of fields. The run validates the value.
 * @example readModelAnswer(item, { decision: 'approve' }); // { ok: true, message: { row: 'decide', input: { kind:
 * 'approve', ... } } }
 */
export function readModelAnswer(item: OpenItem, answer: unknown): FormReading {
  if (item.kind !== 'question' || !isRecord(answer)) return readForm(item, answer);
  const { value, comment, ...more } = answer;
  const [[[, first] = []], whole] = fieldsOf(item);
  const members = first !== whole && typeof value === 'string' ? exactJson(value) : value;
  const read = readForm(item, { ...(first !== whole && isRecord(members) ? members : { value }), ...more });
  return read.ok ? { ok: true, message: { ...read.message, input: given({ ...read.message.input, comment }) } } : read;
}

function messageOf({ workflowId, digest, revision, shown, id, kind }: OpenItem, value: unknown): HostMessage {
  if (kind === 'question') return { row: 'answer', input: { workflowId, question: id, value } };
  const { decision, comment, outcome, action, ...more } = value as Readonly<Record<string, unknown>>;
  if (kind === 'approval') {
    const why = decision === 'revise' ? { feedback: comment } : { comment };
    const seen = decision === 'approve' ? shown : undefined;
    return { row: 'decide', input: given({ workflowId, kind: decision, digest, revision, shown: seen, ...why }) };
  }
  const ofNode = kind === 'uncertain' || kind === 'failed' ? { node: id.slice(id.indexOf('.') + 1), digest } : {};
  const control = controlOf(String(outcome ?? action));
  return { row: 'control', input: given({ workflowId, ...ofNode, ...control, ...more, comment }) };
}

/** The member of a form that has the answer. */
const CHOICE: Readonly<Partial<Record<OpenItem['kind'], string>>> = { approval: 'decision', uncertain: 'outcome' };

/** The answers that a host can give: it has no fields for nodes, and takes nothing back. */
function actionsFor(item: OpenItem): readonly CardAction[] {
  return cardOf(item).actions.filter(({ name, takes }) => takes !== 'nodes' && name !== 'withdraw');
}

/** Whether the person must give a reason, because the answer may repeat an effect that may have happened. */
function repeats(item: OpenItem, value: Readonly<Record<string, unknown>>): boolean {
  const chosen = value[CHOICE[item.kind] ?? 'action'];
  return actionsFor(item).some(({ name, reason }) => name === chosen && reason === NOT_HAPPENED);
}

function schemaOf(item: OpenItem): Schema | undefined {
  if (item.kind === 'question') return item.schema;
  const actions = actionsFor(item);
  const name = CHOICE[item.kind] ?? 'action';
  const again = actions.find(({ reason, isReasonNeeded }) => reason === NOT_HAPPENED && isReasonNeeded === true);
  const why = again && { description: `with ${again.name}: how you know that it did not happen` };
  const properties = {
    [name]: { enum: [...new Set(actions.map((one) => one.name))] },
    comment: { type: 'string', ...why },
    ...(actions.some(({ takes }) => takes === 'value') && { value: { description: 'with succeeded: its result' } }),
  };
  return { type: 'object', properties, required: [name] };
}

/** The fields of an MCP form, which is flat: one for each member of an object of single values, otherwise JSON text. */
function fieldsOf(item: OpenItem): readonly [named: readonly (readonly [string, AnswerField])[], whole: AnswerField] {
  const whole = fieldOf({ schema: schemaOf(item), default: item.default });
  const members = whole.kind === 'group' ? whole.fields : [];
  const isFlat =
    members.length > 0 && (item.kind !== 'question' || members.every((one) => hostField(one) !== undefined));
  const root: AnswerField = isFlat || whole.kind !== 'group' ? whole : { ...whole, kind: 'json' };
  return [(isFlat ? members : [root]).map((field) => [field.key ?? field.name, field]), root];
}

type Lengths = Readonly<Partial<Record<'minLength' | 'maxLength', number>>> & { readonly format?: unknown };

function hostField(field: AnswerField): HostField | undefined {
  const { hint, label, key, initial } = field;
  const words = given({
    title: key === undefined || key === label ? undefined : label,
    description: hint || undefined,
  });
  switch (field.kind) {
    case 'choice':
      if (field.values.length !== 2 || typeof field.values[0] !== 'boolean')
        return { type: 'string', ...words, enum: labelsOf(field) };
      return { type: 'boolean', ...words, ...(typeof initial === 'boolean' && { default: initial }) };
    case 'number': {
      const bounds = given({ minimum: field.min, maximum: field.max });
      const start = typeof initial === 'number' && { default: initial };
      return { type: field.isWhole ? 'integer' : 'number', ...words, ...bounds, ...start };
    }
    case 'text':
    case 'any': {
      const { minLength, maxLength, format } = (field.kind === 'text' ? field.schema : {}) as Lengths;
      const lengths = given({ minLength, maxLength, format: FORMATS.find((one) => one === format) });
      return { type: 'string', ...words, ...lengths, ...(typeof initial === 'string' && { default: initial }) };
    }
    default:
      return undefined;
  }
}

function jsonField({ hint, initial }: AnswerField): HostField {
  const start = initial !== undefined && { default: JSON.stringify(initial) };
  return { type: 'string', description: `JSON: ${hint}`, ...start };
}

/** The choices of a form are texts, so numbers and booleans become JSON. */
function labelsOf({ values }: { readonly values: readonly JsonValue[] }): string[] {
  return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

/** The sent value as texts of a form, since hosts send numbers and booleans as JSON or as text. */
function textsOf(field: AnswerField, sent: unknown): readonly string[] {
  if (sent === undefined || sent === null) return [];
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
  if (field.kind !== 'choice') return [text];
  const chosen = labelsOf(field).indexOf(text);
  return [chosen < 0 ? text : JSON.stringify(field.values[chosen])];
}
