/** The value of an argument that has elements inside. */

import type { JsonValue } from '../compiled-plan.ts';
import type { XmlElement } from './elements.ts';

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
