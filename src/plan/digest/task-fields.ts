/** The kinds of fields of a task. The check of a stored task, its key and its draft use this list. */

import { canonicalJson } from './canonical-json.ts';
import type { TaskNode } from '../compiled-plan.ts';

type FieldKind = 'text' | 'json' | 'input' | 'shown' | 'id' | 'ids';

/**
 * Every field of a task, in canonical order. Fields of the kinds `text`, `json` (canonical text) and `input` are its
 * meaning. The others are its place in the plan and its appearance.
 */
export const TASK_FIELDS = {
  action: 'text',
  agent: 'text',
  arguments: 'json',
  capability: 'text',
  context: 'json',
  contextKey: 'text',
  dependsOn: 'ids',
  description: 'text',
  displayName: 'shown',
  expectedOutput: 'text',
  externalInputs: 'input',
  externalRefs: 'input',
  hint: 'text',
  id: 'id',
  inputTypes: 'input',
  key: 'id',
  kind: 'id',
  successCriteria: 'text',
  task: 'text',
  undoes: 'text',
} as const satisfies Record<keyof TaskNode, FieldKind>;

type FieldOf<Kind> = {
  [Field in keyof TaskNode]-?: (typeof TASK_FIELDS)[Field] extends Kind ? Field : never;
}[keyof TaskNode];

export type WrittenFields = { readonly [Field in FieldOf<'text' | 'json'>]?: string | undefined };

export type Meaning = Pick<TaskNode, FieldOf<'text' | 'json' | 'input'>>;

/** The fields of a step that depend on the names of its inputs. */
export type InputFields = { readonly [Field in FieldOf<'input'>]?: TaskNode[Field] | undefined };

const FIELDS = (Object.keys(TASK_FIELDS) as (keyof TaskNode)[]).map((field) => {
  const kind = TASK_FIELDS[field];
  return { field, label: `"${field}":`, kind, isMeant: kind === 'text' || kind === 'json' || kind === 'input' };
});
const MEANT = FIELDS.filter(({ isMeant }) => isMeant);

export function meaningText(draft: WrittenFields, inputs: InputFields, inputKeys: readonly string[]): string {
  let text = '';
  for (const { field, label, kind } of MEANT) {
    const value = kind === 'input' ? inputs[field as keyof InputFields] : draft[field as keyof WrittenFields];
    if (value === undefined) continue;
    text += (text === '' ? label : `,${label}`) + (kind === 'json' ? (value as string) : canonicalJson(value));
  }
  return `[[${inputKeys.length === 0 ? '' : `"${inputKeys.join('","')}"`}],{${text}}]`;
}

/** Adds the meaning of a draft to other fields of a task, in canonical order, so that hashing needs no sorting. */
export function withMeaning<Given extends object>(
  fields: Given,
  draft: WrittenFields,
  inputs: InputFields,
): Given & Meaning {
  const record: { [field: string]: unknown } = {};
  for (const { field, kind, isMeant } of FIELDS) {
    const from: object = kind === 'input' ? inputs : isMeant ? draft : fields;
    const value = (from as { readonly [field: string]: unknown })[field];
    if (value !== undefined) record[field] = kind === 'json' ? JSON.parse(value as string) : value;
  }
  return record as Given & Meaning;
}

export function draftOf(node: Meaning): WrittenFields {
  const texts = MEANT.flatMap(({ field, kind }): readonly (readonly [string, string])[] => {
    const value = kind === 'input' ? undefined : node[field as keyof Meaning];
    return value === undefined ? [] : [[field, kind === 'json' ? canonicalJson(value) : (value as string)]];
  });
  return Object.fromEntries(texts);
}
