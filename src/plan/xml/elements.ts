/** Reads the elements of an XML text strictly and within limits, into the tree of domhandler. */

import { DomHandler, isTag, type Element, isCDATA, isText } from 'domhandler';
import { Parser } from 'htmlparser2';
import { cutCharacters, quote } from '../text/index.ts';
import type { JsonValue } from '../compiled-plan.ts';

/** An error that ends the reading. Offsets count UTF-16 units from the start of the document. */
export interface XmlFault {
  readonly code: 'invalid-xml' | 'forbidden-xml' | 'too-deep' | 'too-many-nodes' | 'truncated-document';
  readonly message: string;
  readonly offset: number;
}

export interface XmlElements {
  readonly root: Element | undefined;
  readonly fault: XmlFault | undefined;
  readonly end: number;
  /** The names of elements that are open at the end of the text. `cutTag` is an incomplete last tag, such as `</pl`. */
  readonly open: readonly string[];
  readonly cutTag: string;
  readonly lastClosed: string;
}

const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 20;
const NAME = /^[\p{L}_][\p{L}\p{N}_:.-]*$/u;

/** Reads the first element of a text and everything in it, without recursion. The text after it is not read. */
export function readElements(document: string, maxElements: number): XmlElements {
  const tree = new DomHandler(undefined, { xmlMode: true, withStartIndices: true });
  const open: string[] = [];
  let attributes = new Map<string, string>();
  let fault: XmlFault | undefined;
  let end: number | undefined;
  let lastClosed = '';
  let count = 0;

  /** Makes wrong closing tags errors. The parser would repair them without notice. */
  class StrictParser extends Parser {
    override onclosetag(from: number, to: number): void {
      const name = document.slice(from, to).trim();
      if (name === open.at(-1)) return super.onclosetag(from, to);
      const message = `Here </${cutCharacters(name, 40)}> closes, and <${cutCharacters(open.at(-1) ?? '', 40)}> is open.`;
      stop('invalid-xml', `${message} Close every element where it belongs.`, from - 2);
    }
  }

  const parser = new StrictParser(
    {
      onparserinit: (started) => tree.onparserinit(started),
      onopentagname(name) {
        const offset = parser.startIndex;
        attributes = new Map();
        if (!NAME.test(name)) stop('invalid-xml', 'Here "<" begins no tag. Write it as &lt; inside a text.', offset);
        else if (open.length === MAX_DEPTH) {
          stop('too-deep', `The document has more than ${MAX_DEPTH} levels of elements. Make it flatter.`, offset);
        } else if (count === maxElements) {
          const message = `The document has more than ${maxElements} elements. Divide it, or raise the limit.`;
          stop('too-many-nodes', message, offset);
        }
        count += 1;
        open.push(name);
      },
      onattribute(name, value) {
        if (attributes.size === MAX_ATTRIBUTES) {
          const message = `An element has more than ${MAX_ATTRIBUTES} attributes. Write elements.`;
          stop('invalid-xml', message, parser.startIndex);
        } else if (attributes.has(name)) {
          const message = `The attribute ${cutCharacters(name, 40)} stands twice. Keep one.`;
          stop('invalid-xml', message, parser.endIndex);
        } else attributes.set(name, value);
      },
      // The parser's own attribute object loses an attribute named __proto__.
      onopentag: (name) => tree.onopentag(name, Object.fromEntries(attributes)),
      ontext: (text) => tree.ontext(text),
      oncdatastart: () => tree.oncdatastart(),
      oncdataend: () => tree.oncdataend(),
      oncomment: (text) => tree.oncomment(text),
      oncommentend: () => tree.oncommentend(),
      onclosetag() {
        tree.onclosetag();
        lastClosed = open.pop()!;
        if (open.length > 0) return;
        end = parser.endIndex + 1;
        parser.pause();
      },
      onprocessinginstruction(name) {
        const what = name.startsWith('!') ? 'A document type or another declaration' : 'A processing instruction';
        stop('forbidden-xml', `${what} is not allowed in a plan. Take it out.`, parser.startIndex);
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.write(document);
  const isCut = fault === undefined && end === undefined;
  return {
    root: tree.dom.find((node) => isTag(node)),
    fault,
    end: end ?? document.length,
    open: isCut ? open : [],
    lastClosed,
    cutTag: isCut ? (/<.*/su.exec(document.slice(parser.startIndex))?.[0] ?? '') : '',
  };

  function stop(code: XmlFault['code'], message: string, offset: number): void {
    if (end === undefined) fault ??= { code, message, offset };
    parser.pause();
  }
}

export function childElements(element: Element): Element[] {
  return element.children.filter((node) => isTag(node));
}

interface XmlText {
  readonly text: string;
  /** The offsets of every `&` that begins no known entity. The character stays in the text. */
  readonly rawAmpersands: readonly number[];
  /** The first reference to a character that XML does not allow. */
  readonly fault: { readonly offset: number; readonly message: string } | undefined;
}

/** The text of an element without its children. Decodes predefined and numeric entities, but not in CDATA sections. */
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
 * The value of an argument: null for an empty element, otherwise its text. An element with elements or attributes gives
 * an object: elements of the same name are a list, other text is `#text`, and attributes are `@name`.
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
