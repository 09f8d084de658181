import { Option } from 'commander';
import { wrongUsage, type From, type InputField } from '../operations/index.ts';
import { durationMs } from '../protocol/index.ts';

export interface TypedDuration {
  readonly typed: string;
  readonly ms: number | undefined;
}

export function optionOf(field: InputField): Option | undefined {
  const { name, from, description = '', default: initial, isRequired, short } = field;
  const placeholder = placeholderOf(field);
  if (placeholder === undefined) return undefined;
  const flag = `--${initial === true ? 'no-' : ''}${dashed(name)}`;
  const option = new Option(
    `${short === undefined ? '' : `${short}, `}${flag} ${placeholder}`.trimEnd(),
    description +
      (from === 'person'
        ? ' (default: your user name; with --demo: demo)'
        : from === undefined && field.type === 'array'
          ? ', with commas between'
          : ''),
  );
  if (from !== 'flag' && ['string', 'number'].includes(typeof initial)) option.default(initial);
  const read = readerOf(field);
  if (read !== undefined) option.argParser((typed) => read(typed, flag));
  return option.makeOptionMandatory(isRequired && from !== 'person' && from !== 'asked');
}

/**
 * The placeholders in help, by `from` of a field. Others are `<file>`. Undefined means that the field cannot be typed.
 */
const PLACEHOLDERS: { readonly [Name in From]?: string | undefined } = {
  ...{ none: undefined, 'own-runs': undefined, project: undefined, columns: undefined },
  ...{
    flag: '',
    person: '<name>',
    deadline: '<duration>',
    duration: '<duration>',
    json: '<json>',
    approval: '<policy>',
  },
};

function placeholderOf({ from = 'asked', type, name, enum: choices }: InputField): string | undefined {
  const place = dashed(name);
  if (from === 'words') return `<${place}...>`;
  if (from === 'text-or-flag') return `[${place}]`;
  if (from !== 'asked') return from in PLACEHOLDERS ? PLACEHOLDERS[from] : '<file>';
  if (type === 'boolean') return '';
  if (type === 'integer') return '<n>';
  return type === 'string' || type === 'array' || choices !== undefined ? `<${place}>` : undefined;
}

type Reader = (typed: string, flag: string) => unknown;

/** The function that converts the typed text; undefined if the text is the value or a file's name (`readFields`). */
function readerOf({ from, type, enum: choices, ...bounds }: InputField): Reader | undefined {
  if (from === 'duration') return readDuration;
  if (from === 'deadline') return readDeadline;
  if (from !== undefined && from !== 'asked') return undefined;
  if (choices !== undefined) return (typed, flag) => readChoice(flag, typed, choices);
  if (type === 'integer') return (typed, flag) => readCount(flag, typed, bounds);
  return type === 'array' ? readNames : undefined;
}

/** `0` and `0s` mean no limit, as for the Temporal CLI. */
export function readDuration(typed: string, flag: string): TypedDuration {
  const ms = durationMs(typed);
  if (/^0+[a-z]*$/.test(typed.trim())) return { typed, ms: undefined };
  if (ms !== undefined) return { typed, ms };
  throw wrongUsage(`${flag}: expected a duration such as 90s, 10m or 24h, got "${typed}"`);
}

/** A deadline in ms. It must be above 0, since otherwise nobody could answer in time. */
function readDeadline(typed: string, flag: string): number {
  const { ms } = readDuration(typed, flag);
  if (ms !== undefined) return ms;
  throw wrongUsage(`${flag}: expected a time above 0, such as 10m or 24h, got "${typed}"`);
}

export function readChoice<const One extends string>(flag: string, typed: string, choices: readonly One[]): One {
  const found = choices.find((one) => one === typed);
  if (found !== undefined) return found;
  throw wrongUsage(`${flag}: expected ${choices.join(' or ')}, got "${typed}"`);
}

function readCount(
  flag: string,
  typed: string,
  { minimum, exclusiveMinimum = -1, maximum }: Partial<InputField>,
): number {
  const least = minimum ?? exclusiveMinimum + 1;
  const most = maximum ?? Number.MAX_SAFE_INTEGER;
  const whole = /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : -1;
  if (whole >= least && whole <= most) return whole;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  throw wrongUsage(`${flag}: expected a whole number ${range}, got "${typed}"`);
}

function readNames(typed: string): readonly string[] {
  return typed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

export function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
