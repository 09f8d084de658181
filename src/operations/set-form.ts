/** A set of records in the forms in which it is given to others. */

import type { ResultSet } from '../plan/algebra/index.ts';
import { setText, toIdLines, toResultJson, type SetFormat } from '../store/index.ts';
import { OperationError } from './operation-error.ts';
import { choiceField, type Z } from './operation.ts';

/** JSON as this program takes it again, the ids with one a line, or a file. */
export type SetForm = SetFormat | 'ids';

export const setForms = (z: Z) =>
  choiceField(z, ['json', 'ids', 'bed', 'gff3', 'tsv'], 'of a set: json, ids (one a line), bed, gff3 or tsv');

type SetJson = ReturnType<typeof toResultJson>;

/** @throws OperationError INPUT_INVALID where its records cannot stand in such a file */
export function setIn(set: ResultSet, form: SetForm): { readonly kind: 'set'; readonly text: string } | SetJson {
  if (form === 'json') return toResultJson(set);
  if (form === 'ids') return { kind: 'set', text: toIdLines(set) };
  const text = setText(set, form);
  if (!text.ok) throw new OperationError('INPUT_INVALID', `--format ${form}: ${text.message}`);
  return { kind: 'set', text: [...text.lines].join('') };
}

/** In text a result has one of the two. */
export const GIVEN = { text: 'text', value: 'json' } as const;
