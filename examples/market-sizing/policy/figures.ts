/** Reads values out of what others wrote: a page, a person. Each is checked against its field before anybody believes it. */

import { describeValue, quote } from '../../words.ts';
import { fieldOf, REGION } from './fields.ts';
import { unitOf } from './recipe.ts';
import type { Evidence, Field, State } from './state.ts';

/** A page as a search gives it. */
export interface Hit {
  readonly id: string;
  readonly title: string;
  readonly snippet: string;
}

export type Valued = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly why: string };

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const GROUPED = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const MAX_TEXT = 200;

/** A value that the field takes: a decimal in its range, or a text of its form. */
export function validValue({ kind, least, most, pattern, title }: Field, given: unknown): Valued {
  if (kind === 'text') {
    const text = typeof given === 'string' ? given.trim() : '';
    const fits =
      text !== '' &&
      text.length <= MAX_TEXT &&
      (pattern === undefined || new RegExp(`^(?:${pattern})$`, 'u').test(text));
    const form = pattern === undefined ? `a text of at most ${MAX_TEXT} characters` : `a text of the form ${pattern}`;
    return fits ? { ok: true, value: text } : refused(title, form, given);
  }
  const written = typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : '';
  const value = GROUPED.test(written) ? written.replaceAll(',', '') : written;
  if (!DECIMAL.test(value)) return refused(title, 'a decimal number', given);
  if (least !== undefined && Number(value) < least) return refused(title, `at least ${least}`, given);
  if (most !== undefined && Number(value) > most) return refused(title, `at most ${most}`, given);
  return { ok: true, value };
}

function refused(title: string, expected: string, got: unknown): Valued {
  return { ok: false, why: `${title}: expected ${expected}, got ${describeValue(got)}` };
}

/** The words of a page behind the label of a field, as evidence or as the reason why it is none; undefined where it has nothing. */
export function readFigure(state: State, name: string, hit: Hit): Evidence | { readonly why: string } | undefined {
  const field = fieldOf(state, name);
  if (field === undefined) return undefined;
  const label = (field.label ?? field.title).replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const [line, rest = ''] = new RegExp(`${label}[^:\\n]{0,60}:[ \\t]*([^\\n]*)`, 'i').exec(hit.snippet) ?? [];
  if (line === undefined) return undefined;
  const [, before = '', number = '', after = ''] = /^([A-Z]{3} )?(-?\d[\d,]*(?:\.\d+)?)\s*(.*)$/.exec(rest) ?? [];
  const no = (why: string) => ({ why: `${hit.id} is no evidence for ${name}: ${why}` });
  const region = fieldOf(state, REGION)?.value;
  if (field.regional === true && region !== undefined && !names(hit, region))
    return no(`it does not name ${quote(region)}`);
  const unit = unitOf(state, name);
  if (unit !== undefined && before.trim() !== unit && !startsWithUnit(after, unit)) {
    return no(`expected ${quote(unit)} beside the number, got ${quote(rest)}`);
  }
  const valued = validValue(field, number);
  if (!valued.ok) return no(valued.why);
  const source = { is: 'page', id: hit.id, title: hit.title, quote: line.trim() } as const;
  return { field: name, value: valued.value, source };
}

function names({ title, snippet }: Hit, region: string): boolean {
  return `${title}\n${snippet}`.toLowerCase().includes(region.toLowerCase());
}

/** `31 %` and `31%`, and never `EURO` for `EUR`. */
function startsWithUnit(text: string, unit: string): boolean {
  const next = text.charAt(unit.length);
  return text.toLowerCase().startsWith(unit.toLowerCase()) && !/[A-Za-z0-9]/.test(next);
}
