/** The inputs of an answer's fields. */

import type { JsonValue } from '../../plan/index.ts';
import { OTHER, type Field } from '../../operations/words/index.ts';
import { exact, html, type Html, type Piece } from '../markup.ts';

export function fieldHtml(field: Field): Html {
  const { name, label, isRequired, initial } = field;
  const head = html`${label}${hintOf(field)}`;
  const needed = isRequired && html` required`;
  switch (field.kind) {
    case 'group':
      return fieldset(head, field.fields.map(fieldHtml));
    case 'choice': {
      const { values, other } = field;
      const options = values.map((value) =>
        option('radio', name, value, isSame(value, initial), isRequired && other === undefined),
      );
      const another =
        other && html`<label><input type="radio" name="${name}" value="${OTHER}"> another</label>${fieldHtml(other)}`;
      return fieldset(head, [options, another]);
    }
    case 'choices': {
      const chosen: readonly JsonValue[] = Array.isArray(initial) ? initial : [];
      return fieldset(
        head,
        field.values.map((value) =>
          option(
            'checkbox',
            name,
            value,
            chosen.some((one) => isSame(one, value)),
            false,
          ),
        ),
      );
    }
    case 'number': {
      const { isWhole, min, max } = field;
      const bounds = [min !== undefined && html` min="${min}"`, max !== undefined && html` max="${max}"`];
      const value = typeof initial === 'number' && html` value="${initial}"`;
      return html`<label>${head} <input type="number" name="${name}" step="${isWhole ? '1' : 'any'}"${bounds}${value}${needed}></label>`;
    }
    case 'text': {
      const most = field.max !== undefined && html` maxlength="${field.max}"`;
      return html`<label>${head} <input name="${name}" value="${exact(textOf(initial))}"${most}></label>`;
    }
    case 'lines':
      return area(
        html`${head} ${hint('one a line')}`,
        name,
        Array.isArray(initial) ? initial.map(textOf).join('\n') : '',
      );
    case 'any':
      return area(
        html`${head} ${hint('JSON, or a text')}`,
        name,
        typeof initial === 'string' ? initial : jsonOf(initial),
        needed,
      );
    case 'json':
      return area(html`${head} ${hint('JSON')}`, name, jsonOf(initial), needed);
  }
}

/** The words of the whole answer stand above its form. */
function hintOf({ name, hint: words }: Field): Html | '' {
  return words === '' || !name.includes('.') ? '' : html` ${hint(words)}`;
}

function hint(words: string): Html {
  return html`<span class="hint">${words}</span>`;
}

function fieldset(legend: Piece, inside: Piece): Html {
  return html`<fieldset class="choice"><legend>${legend}</legend>${inside}</fieldset>`;
}

/** A browser drops the first line break of it. */
function area(label: Piece, name: string, text: string, needed: Piece = ''): Html {
  return html`<label>${label}<textarea name="${name}"${needed}>
${exact(text)}</textarea></label>`;
}

function option(
  type: 'radio' | 'checkbox',
  name: string,
  value: JsonValue,
  isChosen: boolean,
  isRequired: boolean,
): Html {
  const marks = [isChosen && html` checked`, isRequired && html` required`];
  return html`<label><input type="${type}" name="${name}" value="${exact(JSON.stringify(value))}"${marks}> ${wordFor(value)}</label>`;
}

function wordFor(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function jsonOf(value: JsonValue | undefined): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
