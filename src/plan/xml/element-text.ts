import { isCDATA, isText, type Element } from 'domhandler';
import { quote } from '../text/index.ts';
import type { JsonValue } from '../compiled-plan.ts';
import { childElements } from './elements.ts';

export interface XmlText {
  readonly text: string;
  /** The offsets of every `&` that does not begin a known entity. The character stays in the text. */
  readonly rawAmpersands: readonly number[];
  /** The first reference to a character that XML does not allow. */
  readonly fault: { readonly offset: number; readonly message: string } | undefined;
}

/** The text of an element itself. Predefined and numeric entities are decoded; CDATA sections are not. */
export function elementText(element: Element): XmlText {
  const found: Found = { rawAmpersands: [], fault: undefined };
  const parts = element.children.map((node) => {
    if (isCDATA(node)) return node.children.map((piece) => (isText(piece) ? piece.data : '')).join('');
    return isText(node) ? decoded(node.data, node.startIndex!, found) : '';
  });
  return { text: parts.join('').trim(), ...found };
}

export function attributeText(value: string, offset: number): XmlText {
  const found: Found = { rawAmpersands: [], fault: undefined };
  return { text: decoded(value, offset, found).trim(), ...found };
}

const MAX_AMPERSANDS = 200;

interface Found {
  readonly rawAmpersands: number[];
  fault: XmlText['fault'];
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

const ENTITY = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,10})|#x([\da-fA-F]{1,8}));/g;
const RAW_AMPERSAND = /&(?!(?:lt|gt|amp|quot|apos|#\d{1,10}|#x[\da-fA-F]{1,8});)/g;

function decoded(text: string, offset: number, found: Found): string {
  if (!text.includes('&')) return text;
  for (const { index } of text.matchAll(RAW_AMPERSAND)) {
    if (found.rawAmpersands.length === MAX_AMPERSANDS) break;
    found.rawAmpersands.push(offset + index);
  }
  return text.replace(
    ENTITY,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined, at: number) => {
      const known = name === undefined ? undefined : ENTITIES.get(name);
      if (known !== undefined) return known;
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
      if (isCharacter(code)) return String.fromCodePoint(code);
      found.fault ??= { offset: offset + at, message: `${quote(whole)} is no character of XML. Take it out.` };
      return whole;
    },
  );
}

/** Whether XML 1.0 allows this code point (production 2 of its grammar). */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

/**
 * The value of an argument: null for an empty element, otherwise its text. With elements or attributes inside, it is an
 * object, in which elements of the same name are a list, other text is `#text`, and attributes are `@name`.
 */
export function readNested(element: Element, ownText: (element: Element) => string): JsonValue {
  const text = ownText(element);
  const children = childElements(element);
  const attributes = Object.entries(element.attribs);
  if (children.length === 0 && attributes.length === 0) return text === '' ? null : text;
  const members = new Map<string, JsonValue[]>();
  for (const [name, value] of attributes) members.set(`@${name}`, [value]);
  for (const child of children) {
    const values = members.get(child.name) ?? [];
    values.push(readNested(child, ownText));
    members.set(child.name, values);
  }
  if (text !== '') members.set('#text', [text]);
  return Object.fromEntries([...members].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}
