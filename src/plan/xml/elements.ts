/** Reads the elements of an XML text strictly and with limits, into the tree of domhandler. */

import { DomHandler, isTag, type Element } from 'domhandler';
import { Parser } from 'htmlparser2';
import { cutCharacters } from '../text/index.ts';

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
  /** The names of the elements that are open at the end of the text. `cutTag` is an incomplete last tag: `</pl`. */
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
      // The parser's own attribute object loses an attribute with the name __proto__.
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
