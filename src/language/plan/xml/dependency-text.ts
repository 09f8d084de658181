/** The values of a step as models write them in XML: dependencies in one text, arguments with elements inside. */

import type { JsonValue } from '../compiled-plan.ts';
import type { XmlElement } from './elements.ts';

export interface DependencyText {
  readonly ids: readonly string[];
  /** Written as it should be: ids with commas between, or nothing. */
  readonly isPlain: boolean;
}

const NOTHING = /^(?:none|null|nil|n\/a|-|\[\s*\])$/i;
const MAX_LENGTH = 100_000;

/** Calute: `1,2`. Also `[1, 2]`, `1; 2`, `1 2`, `1 and 2`, `step 1`, a comma too many, and `none`. */
export function readDependencyText(written: string): DependencyText {
  if (written === '') return { ids: [], isPlain: true };
  if (/^\d+$/.test(written)) return { ids: [written], isPlain: true };
  if (NOTHING.test(written)) return { ids: [], isPlain: false };
  const isPlain =
    /^[^\s,;[\]]+(?:\s*,\s*[^\s,;[\]]+)*$/.test(written.slice(0, MAX_LENGTH)) && !/(?:^|,)\s*steps?\s/i.test(written);
  const ids = written
    .replace(/\s+/g, ' ')
    .replace(/^\[|\]$/g, '')
    .split(/[,;]| and /i)
    .flatMap((part) => idsOf(part.trim()));
  return { ids, isPlain };
}

function idsOf(part: string): readonly string[] {
  if (part === '') return [];
  const bare = part.replace(/^steps? #?(?=\S)/i, '');
  return /^\d+(?:\s+\d+)+$/.test(bare) ? bare.split(/\s+/) : [bare];
}

/**
 * The value of an argument: its text, null when it is empty, and with elements inside an object of them, so that no
 * text is lost. Elements of one name become a list, text beside elements stands under `#text`, attributes under `@name`.
 * Recursive: the depth of elements is limited before.
 */
export function readNested(element: XmlElement, textOf: (element: XmlElement) => string): JsonValue {
  const text = textOf(element);
  if (element.children.length === 0 && element.attributes.length === 0) return text === '' ? null : text;
  const members = new Map<string, JsonValue[]>();
  for (const [name, value] of element.attributes) members.set(`@${name}`, [value]);
  for (const child of element.children) {
    const values = members.get(child.name) ?? [];
    values.push(readNested(child, textOf));
    members.set(child.name, values);
  }
  if (text !== '') members.set('#text', [text]);
  return Object.fromEntries([...members].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}
