import type { JsonValue } from '../../plan/index.ts';
import { OTHER, type AnswerField, type Sent } from '../../operations/words/index.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';

/** A form with an invalid field: what was sent, the name of the field, and the problem. */
export interface Misfit {
  readonly sent: Sent;
  readonly problem: string;
  readonly field?: string | undefined;
}

export function fieldHtml(field: AnswerField, misfit?: Misfit): Html {
  const { name, isRequired, initial } = field;
  const typed = misfit?.sent(name);
  const problem = misfit?.field === name && html` <b class="misfit" role="alert">${misfit.problem}</b>`;
  const mark = isRequired && initial === undefined && name.includes('.') && html` <b title="required">*</b>`;
  const label = html`${field.label}${mark}${problem}`;
  const head = html`${label}${hintOf(field)}`;
  const needed = isRequired && html` required`;
  switch (field.kind) {
    case 'group':
      return fieldset(
        name.includes('.') ? head : html`<span class="vh">${head}</span>`,
        field.fields.map((one) => fieldHtml(one, misfit)),
      );
    case 'choice':
    case 'choices': {
      const isOne = field.kind === 'choice';
      const other = isOne ? field.other : undefined;
      const chosen: readonly JsonValue[] = isOne ? [initial ?? null] : Array.isArray(initial) ? initial : [];
      const texts = typed ?? (initial === undefined ? [] : chosen.map((one) => JSON.stringify(one)));
      const needs = isOne && isRequired && other === undefined;
      const type = isOne ? 'radio' : 'checkbox';
      const options = field.values.map((value) => {
        const text = JSON.stringify(value);
        const attributes = [texts.includes(text) && html` checked`, needs && html` required`];
        return html`<label><input type="${type}" name="${name}" value="${exact(text)}"${attributes}> ${wordFor(value)}</label>`;
      });
      const another =
        other &&
        html`<label><input type="radio" name="${name}" value="${OTHER}"${texts.includes(OTHER) && html` checked`}> another</label>${fieldHtml(other, misfit)}`;
      return fieldset(head, [options, another]);
    }
    case 'number': {
      const { isWhole, min, max } = field;
      const bounds = [min !== undefined && html` min="${min}"`, max !== undefined && html` max="${max}"`];
      const value = typed?.[0] ?? (typeof initial === 'number' && `${initial}`);
      return html`<label>${head} <input type="number" name="${name}" step="${isWhole ? '1' : 'any'}"${bounds}${value !== false && html` value="${exact(value)}"`}${needed}></label>`;
    }
    case 'text': {
      const text = typed?.[0] ?? textOf(initial);
      if (isDate(field)) {
        return html`<label>${label} <input type="date" name="${name}" value="${exact(text)}"${needed}></label>`;
      }
      const maxLength = field.max !== undefined && html` maxlength="${field.max}"`;
      if ((field.max ?? text.length) > LINE || /[\r\n]/.test(text)) return area(head, name, text, maxLength);
      return html`<label>${head} <input name="${name}" value="${exact(text)}"${maxLength}></label>`;
    }
    case 'lines':
      return area(
        html`${head} ${hint('one a line')}`,
        name,
        typed?.[0] ?? (Array.isArray(initial) ? initial.map(textOf).join('\n') : ''),
      );
    case 'any':
    case 'json': {
      const isText = field.kind === 'any' && typeof initial === 'string';
      const words = field.hint.endsWith('JSON') ? '' : hint(field.kind === 'any' ? 'JSON, or a text' : 'JSON');
      const json = initial === undefined ? '' : JSON.stringify(initial, null, 2);
      return area(html`${head} ${words}`, name, typed?.[0] ?? (isText ? initial : json), needed);
    }
  }
}

const LINE = 120;

/** Whether the field is a date. A browser's date field could not show an initial text that is no date. */
function isDate(field: AnswerField): boolean {
  if (field.kind !== 'text' || field.schema['format'] !== 'date') return false;
  return field.initial === undefined || /^\d{4}-\d\d-\d\d$/.test(textOf(field.initial));
}

/** Whether the hint says more than the field: choices and lists show what they take. */
export function hasHint(field: AnswerField): boolean {
  return !['choice', 'choices', 'lines', 'group'].includes(field.kind) && !isDate(field);
}

/** The hint of a field. The hint for the whole answer is above the form, so its field has none. */
function hintOf(field: AnswerField): Html | '' {
  const words = hasHint(field) ? field.hint : (field.about ?? '');
  return words === '' || !field.name.includes('.') ? '' : html` ${hint(words)}`;
}

function hint(words: string): Html {
  return html`<span class="hint">${words}</span>`;
}

function fieldset(legend: HtmlPiece, inside: HtmlPiece): Html {
  return html`<fieldset class="choice"><legend>${legend}</legend>${inside}</fieldset>`;
}

function area(label: HtmlPiece, name: string, text: string, needed: HtmlPiece = ''): Html {
  return html`<label>${label}<textarea name="${name}"${needed}>
${exact(text)}</textarea></label>`;
}

function wordFor(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
