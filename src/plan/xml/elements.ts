/** The elements of an XML text, read without recursion and within bounds. */

import { Tokenizer } from 'htmlparser2';
import { cutCharacters } from '../text/index.ts';

/** An element as written: its own text in pieces, entities not decoded, and its children. */
export interface XmlElement {
  readonly name: string;
  readonly offset: number;
  readonly attributes: (readonly [name: string, value: string])[];
  readonly children: XmlElement[];
  /** Text and CDATA between the tags, without white space before the first; nothing is decoded in a raw piece. */
  readonly texts: XmlPiece[];
}

export interface XmlPiece {
  readonly text: string;
  readonly isRaw: boolean;
  readonly offset: number;
}

/** A fault ends the reading. Offsets count UTF-16 units of the whole text. */
export interface XmlFault {
  readonly code: 'invalid-xml' | 'forbidden-xml' | 'too-deep' | 'too-many-nodes' | 'truncated-document';
  readonly message: string;
  readonly offset: number;
}

export interface XmlElements {
  readonly root: XmlElement | undefined;
  readonly fault: XmlFault | undefined;
  /** The offset after the root, or the end of the text. */
  readonly end: number;
  /** The elements that the end of the text leaves open, the root first, and the tag that it cuts, such as `</pl`. */
  readonly open: readonly XmlElement[];
  readonly cutTag: string;
  /** The name of the element that was closed last. */
  readonly lastClosed: string;
}

const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 20;
const NAME = /^[\p{L}_][\p{L}\p{N}_:.-]*$/u;

/** Reads one element and everything in it, without recursion; the text after it is not read. */
export function readElements(text: string, start: number, mostElements: number): XmlElements {
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let current: XmlElement | undefined;
  let attribute = '';
  let value = '';
  let fault: XmlFault | undefined;
  let count = 0;
  let lastClosed = '';
  let end = -1;
  let last = start;
  const document = text.slice(start);

  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: false },
    {
      onopentagname(from, to) {
        if (isDone()) return;
        const name = document.slice(from, to);
        if (!NAME.test(name))
          return stop('invalid-xml', 'Here "<" begins no tag. Write it as &lt; inside a text.', start + from - 1);
        const element: XmlElement = { name, offset: start + from - 1, attributes: [], children: [], texts: [] };
        if (open.length >= MAX_DEPTH)
          return stop(
            'too-deep',
            `The document has more than ${MAX_DEPTH} levels of elements. Make it flatter.`,
            element.offset,
          );
        if (++count > mostElements)
          return stop(
            'too-many-nodes',
            `The document has more than ${mostElements} elements. Divide it, or raise the limit.`,
            element.offset,
          );
        current = element;
        root ??= element;
        open.push(element);
      },
      onopentagend(to) {
        last = start + to + 1;
      },
      onselfclosingtag(to) {
        last = start + to + 1;
        if (!isDone()) close();
      },
      onclosetag(from, to) {
        if (isDone()) return;
        const name = document.slice(from, to).trim();
        last = start + to + 1;
        if (open.at(-1)?.name !== name) {
          return stop(
            'invalid-xml',
            `Here </${cutCharacters(name, 40)}> closes, and <${cutCharacters(open.at(-1)?.name ?? '', 40)}> is open. Close every element where it belongs.`,
            start + from - 2,
          );
        }
        close();
      },
      onattribname(from, to) {
        attribute = document.slice(from, to);
        value = '';
      },
      onattribdata(from, to) {
        value += document.slice(from, to);
      },
      onattribentity() {},
      onattribend(_quote, to) {
        if (isDone() || current === undefined) return;
        if (current.attributes.length === MAX_ATTRIBUTES)
          return stop(
            'invalid-xml',
            `An element has more than ${MAX_ATTRIBUTES} attributes. Write elements.`,
            current.offset,
          );
        if (current.attributes.some(([name]) => name === attribute))
          return stop(
            'invalid-xml',
            `The attribute ${cutCharacters(attribute, 40)} stands twice. Keep one.`,
            start + to,
          );
        current.attributes.push([attribute, value]);
      },
      ontext(from, to) {
        if (!isDone()) addText(from, to, false);
      },
      ontextentity() {},
      oncdata(from, to, cut) {
        if (isDone()) return;
        addText(from, to - cut, true);
        last = start + to;
      },
      oncomment(_from, to) {
        last = start + to + 1;
      },
      ondeclaration(from) {
        if (!isDone())
          stop(
            'forbidden-xml',
            'A document type or another declaration is not allowed in a plan. Take it out.',
            start + from - 2,
          );
      },
      onprocessinginstruction(from) {
        if (!isDone())
          stop('forbidden-xml', 'A processing instruction is not allowed in a plan. Take it out.', start + from - 2);
      },
      onend() {},
    },
  );
  tokenizer.write(document);
  const isOpen = fault === undefined && end < 0;
  return {
    root,
    fault,
    end: end < 0 ? text.length : end,
    open: isOpen ? open : [],
    lastClosed,
    cutTag: isOpen ? (/<.*/su.exec(text.slice(last))?.[0] ?? '') : '',
  };

  function isDone(): boolean {
    return fault !== undefined || end >= 0;
  }

  function addText(from: number, to: number, isRaw: boolean): void {
    const element = open.at(-1);
    if (element === undefined) return;
    const piece = document.slice(from, to);
    // Between the elements of a list there is nothing but white space.
    if (element.texts.length === 0 && piece.trim() === '') return;
    element.texts.push({ text: piece, isRaw, offset: start + from });
  }

  function close(): void {
    const element = open.pop()!;
    current = undefined;
    lastClosed = element.name;
    open.at(-1)?.children.push(element);
    if (open.length > 0) return;
    end = last;
    tokenizer.pause();
  }

  function stop(code: XmlFault['code'], message: string, offset: number): void {
    fault ??= { code, message, offset };
    tokenizer.pause();
  }
}
