/** The form in which a question is answered: hosts put up forms of single values, and a question may want any JSON. */

import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { JsonValue } from '../plan/index.ts';
import { fieldOf, readField, type Answered, type Field } from '../operations/words/index.ts';
import { given, type OpenItem } from '../protocol/index.ts';

export type HostField = ElicitRequestFormParams['requestedSchema']['properties'][string];

export interface ValueForm {
  readonly fields: Readonly<Record<string, HostField>>;
  readonly required: readonly string[];
  /** The answer that the content of a form gives. */
  read(content: Readonly<Record<string, unknown>>): Answered;
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

/**
 * The run checks the whole schema; the form says as much of it as a form can: an object of single values has a field for each, and
 * what no form shows is asked as JSON.
 * @example valueForm({ schema: { enum: [1, 2] } }).fields; // { value: { type: 'string', enum: ['1', '2'] } }
 */
export function valueForm({ schema, default: initial }: Pick<OpenItem, 'schema' | 'default'>): ValueForm {
  const whole = fieldOf({ schema, default: initial });
  const members = whole.kind === 'group' ? whole.fields : [];
  const isFlat = members.length > 0 && members.every((one) => hostField(one) !== undefined);
  const shown: Field = isFlat || whole.kind !== 'group' ? whole : { ...whole, kind: 'json' };
  const named = (isFlat ? members : [shown]).map((field) => [field.key ?? field.name, field] as const);
  return {
    fields: Object.fromEntries(named.map(([name, field]) => [name, hostField(field) ?? jsonField(field)])),
    required: named.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
    read(content) {
      const sent = new Map(named.map(([name, field]) => [field.name, textsOf(field, content[name])]));
      return readField(shown, (name) => sent.get(name) ?? []);
    },
  };
}

type Lengths = Readonly<Partial<Record<'minLength' | 'maxLength', number>>> & { readonly format?: unknown };

/** undefined where no single field asks for it. */
function hostField(field: Field): HostField | undefined {
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

function jsonField({ hint, initial }: Field): HostField {
  const start = initial !== undefined && { default: JSON.stringify(initial) };
  return { type: 'string', description: `JSON: ${hint}`, ...start };
}

/** Forms choose among texts; a number or `true` stands as its JSON. */
function labelsOf({ values }: { readonly values: readonly JsonValue[] }): string[] {
  return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

/** Hosts write numbers and the like as JSON or as its text. */
function textsOf(field: Field, sent: unknown): readonly string[] {
  if (sent === undefined || sent === null) return [];
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
  if (field.kind !== 'choice') return [text];
  const chosen = labelsOf(field).indexOf(text);
  return [chosen < 0 ? text : JSON.stringify(field.values[chosen])];
}
