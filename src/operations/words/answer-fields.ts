import { jsonFlaw, type JsonValue } from '../../plan/index.ts';
import { cutCharacters, jsonIn, oneLine } from '../../plan/text/index.ts';
import { BESIDE, isRecord, memberSchemas, schemaText } from '../../protocol/index.ts';

interface Named {
  readonly name: string;
  readonly key?: string;
  readonly label: string;
  readonly hint: string;
  /** The description of its author. */
  readonly about?: string;
  /** If the field is blank and not required, the answer omits it. */
  readonly isRequired: boolean;
  readonly initial?: JsonValue | undefined;
}

export type AnswerField = Named &
  (
    | { readonly kind: 'choice' | 'choices'; readonly values: readonly JsonValue[]; readonly other?: AnswerField }
    | {
        readonly kind: 'number';
        readonly isWhole: boolean;
        readonly min?: number | undefined;
        readonly max?: number | undefined;
      }
    | { readonly kind: 'text'; readonly max?: number | undefined; readonly schema: Schema }
    | { readonly kind: 'lines' }
    | { readonly kind: 'group'; readonly fields: readonly AnswerField[] }
    /** Typed as JSON. With `any`, a text that is not JSON is also accepted. */
    | { readonly kind: 'json' | 'any' }
  );

type Schema = Readonly<Record<string, unknown>>;

interface Asked {
  readonly schema?: Schema | undefined;
  readonly suggestions?: readonly JsonValue[] | undefined;
  readonly default?: JsonValue | undefined;
}

/** Limits of a form: levels, fields, values of a choice. Beyond them, people type the answer as JSON. */
const FIELD_LIMITS = { levels: 3, fields: 40, values: 100 };
/** Schema keywords that a form supports for a list. With other keywords, people type the list as JSON. */
const PLAIN_LIST = new Set([...BESIDE, 'items', 'minItems', 'maxItems', 'uniqueItems']);
const ANSWER = 'value';

/** The form of an answer. If there is no schema, or a form cannot show it, the form has one text field. */
export function fieldOf({ schema, suggestions, default: initial }: Asked): AnswerField {
  const named = {
    name: ANSWER,
    label: 'Answer',
    hint: schema === undefined ? '' : schemaText(schema as never),
    isRequired: true,
    initial,
  };
  const field = fieldIn(schema, named, 0);
  if (suggestions === undefined || suggestions.length === 0) return field;
  const typed = { ...field, name: `${ANSWER}.other`, label: 'Another answer', isRequired: false, initial: undefined };
  return {
    ...named,
    kind: 'choice',
    values: suggestions.slice(0, FIELD_LIMITS.values),
    ...(takesOthers(schema) && { other: typed }),
  };
}

function takesOthers(schema: Schema = {}): boolean {
  return !Array.isArray(schema['enum']) && schema['type'] !== 'boolean';
}

function fieldIn(schema: Schema | undefined, named: Named, depth: number): AnswerField {
  if (schema === undefined) return { ...named, kind: 'any' };
  const { type, const: only, enum: allowed = only === undefined ? undefined : [only], default: byDefault } = schema;
  const withDefault = { ...named, initial: named.initial ?? (byDefault as JsonValue | undefined) };
  if (isOffered(allowed)) return { ...withDefault, kind: 'choice', values: allowed };
  switch (type) {
    case 'boolean':
      return { ...withDefault, kind: 'choice', values: [true, false] };
    case 'number':
    case 'integer':
      return {
        ...withDefault,
        kind: 'number',
        isWhole: type === 'integer',
        min: numberIn(schema['minimum']),
        max: numberIn(schema['maximum']),
      };
    case 'string':
      return { ...withDefault, kind: 'text', max: numberIn(schema['maxLength']), schema };
    case 'array':
      return listField(schema, withDefault);
    case 'object':
      return groupField(schema, withDefault, depth);
  }
  return { ...withDefault, kind: 'json' };
}

function listField(schema: Schema, named: Named): AnswerField {
  const { items } = schema;
  if (!isRecord(items) || Object.keys(schema).some((key) => !PLAIN_LIST.has(key))) return { ...named, kind: 'json' };
  const allowed = items['enum'];
  if (isOffered(allowed)) return { ...named, kind: 'choices', values: allowed };
  return { ...named, kind: items['type'] === 'string' ? 'lines' : 'json' };
}

function groupField(schema: Schema, named: Named, depth: number): AnswerField {
  const members = memberSchemas(schema as never, FIELD_LIMITS.fields);
  if (members === undefined || depth === FIELD_LIMITS.levels) return { ...named, kind: 'json' };
  const initial = isRecord(named.initial) ? named.initial : {};
  const fields = members.map(({ name, inner, isRequired }, at) => {
    const { title, description, type } = inner;
    const isBlank = Object.keys(inner).length === 0;
    const about = typeof description === 'string' ? oneLine(description) : '';
    const field: Named = {
      // A form field is named by its position, since a key may contain any characters.
      name: `${named.name}.${at}`,
      key: name,
      label: oneLine(typeof title === 'string' ? title : name),
      about,
      hint: about === '' && !isBlank && type !== 'object' ? schemaText(inner) : about,
      isRequired,
      initial: initial[name],
    };
    return fieldIn(isBlank ? undefined : inner, field, depth + 1);
  });
  return { ...named, kind: 'group', fields };
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export type FormAnswer =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  /** `name`: of the form field. */
  | { readonly ok: false; readonly problem: string; readonly name?: string };
export type Sent = (name: string) => readonly string[];

export function readField(field: AnswerField, sent: Sent): FormAnswer {
  const [text = ''] = sent(field.name);
  const blank: FormAnswer = field.isRequired ? missing(field) : { ok: true, value: undefined };
  switch (field.kind) {
    case 'group':
      return readGroup(field, sent);
    case 'choice':
      if (field.other !== undefined && (text === '' || text === OTHER))
        return readField({ ...field.other, isRequired: field.isRequired }, sent);
      return text === '' ? blank : chosen(field, text);
    case 'choices': {
      const values = sent(field.name).map((one) => chosen(field, one));
      const wrong = values.find((one) => !one.ok);
      return wrong ?? { ok: true, value: values.map((one) => (one as { value: JsonValue }).value) };
    }
    case 'number':
      if (text.trim() === '') return blank;
      return readNumber(field, text);
    case 'text':
      if (text === '' && (!field.isRequired || sent(field.name).length === 0)) return blank;
      return { ok: true, value: textIn(text, field.initial) };
    case 'lines':
      return {
        ok: true,
        value: linesOf(text)
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      };
    case 'json':
    case 'any':
      if (text.trim() === '') return blank;
      return readJsonField(field, text);
  }
}

export const OTHER = 'other';

function readGroup({ fields }: AnswerField & { readonly kind: 'group' }, sent: Sent): FormAnswer {
  const value: Record<string, JsonValue> = {};
  for (const field of fields) {
    const read = readField(field, sent);
    if (!read.ok) return read;
    if (read.value !== undefined)
      Object.defineProperty(value, field.key ?? '', { value: read.value, enumerable: true });
  }
  return { ok: true, value };
}

function chosen(field: AnswerField & { readonly values: readonly JsonValue[] }, text: string): FormAnswer {
  const value = field.values.find((one) => JSON.stringify(one) === text);
  return value === undefined ? wrongIn(field, text, 'one of the values offered') : { ok: true, value };
}

const EXACT_JSON = 'JSON with each key once in its object, and longer numbers than 15 digits in quotes';

function readJsonField(field: AnswerField, text: string): FormAnswer {
  const value = jsonIn(text) as JsonValue | undefined;
  if (value !== undefined && jsonFlaw(text) !== undefined) return wrongIn(field, text, EXACT_JSON);
  if (value !== undefined) return { ok: true, value };
  return field.kind === 'any' ? { ok: true, value: linesOf(text) } : wrongIn(field, text, 'JSON');
}

function readNumber(field: AnswerField, text: string): FormAnswer {
  const value = Number(text);
  if (!Number.isFinite(value)) return wrongIn(field, text, 'a number');
  const isExact = Number.isSafeInteger(value) || !/^\s*[-+]?\d+\s*$/.test(text);
  return isExact ? { ok: true, value } : wrongIn(field, text, 'a number of at most 15 digits');
}

/** Forms send CRLF for a line break of any kind. */
function linesOf(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** The text of a field. A text that nobody changed keeps its own line breaks. */
function textIn(text: string, initial: JsonValue | undefined): string {
  return typeof initial === 'string' && linesOf(initial) === linesOf(text) ? initial : linesOf(text);
}

const SHOWN = 80;

function wrongIn({ label, name }: AnswerField, text: string, expected: string): FormAnswer {
  return { ok: false, name, problem: `${label}: expected ${expected}, got "${cutCharacters(oneLine(text), SHOWN)}"` };
}

function missing({ label, name, hint }: AnswerField): FormAnswer {
  return { ok: false, name, problem: `${label}: expected ${hint === '' ? 'an answer' : hint}, and it was left blank` };
}

function isOffered(allowed: unknown): allowed is readonly JsonValue[] {
  return Array.isArray(allowed) && allowed.length > 0 && allowed.length <= FIELD_LIMITS.values;
}
