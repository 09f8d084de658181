/** The text of a page, in pieces that know their lines: of HTML what a reader would see, of Markdown and plain text its lines. */

import { Tokenizer } from 'htmlparser2';

export interface PageText {
  /** The title of HTML, or the first heading of Markdown; absent where there is none. */
  readonly title?: string;
  /** None of them blank, white space in them as single spaces. */
  readonly pieces: readonly PagePiece[];
}

export interface PagePiece {
  readonly text: string;
  /** The line at which it begins in the source, from 1. */
  readonly line: number;
}

/** Elements whose text is no text of the page. */
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);
/** Tags between which a text goes on as one piece. Any other tag ends a piece, so that a new element joins no two words. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rb rt rp s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const HEADING = /^#{1,6}\s+(.*?)\s*#*$/;

/**
 * The text that a person would read of an HTML page. Takes any text, in time that grows with its length: no tree is
 * built.
 * @example readHtml('<title>Reef</title><p>A <b>coral</b> reef.').pieces; // [{ text: 'A coral reef.', line: 1 }]
 */
export function readHtml(html: string): PageText {
  const pieces: PagePiece[] = [];
  const lineAt = lineCounter(html);
  let title: string | undefined;
  let text = '';
  /** The offset at which the piece begins; undefined while there is only white space. */
  let start: number | undefined;
  let name = '';
  let inTitle = false;
  /** The unseen element that is open, and how many of its name are inside each other. */
  let unseen = '';
  let depth = 0;

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(from, to) {
        name = html.slice(from, to).toLowerCase();
        endPiece(name);
      },
      onopentagend() {
        if (unseen === '' && UNSEEN.has(name)) unseen = name;
        if (unseen === name) depth++;
        if (unseen === '' && name === 'title') inTitle = true;
      },
      onselfclosingtag() {},
      onclosetag(from, to) {
        const closed = html.slice(from, to).trim().toLowerCase();
        if (unseen !== '') {
          if (closed === unseen && --depth === 0) unseen = '';
          return;
        }
        endPiece(closed);
        if (closed === 'title') inTitle = false;
      },
      ontext(from, to) {
        add(html.slice(from, to), from);
      },
      ontextentity(code, to) {
        add(String.fromCodePoint(code), to);
      },
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onattribname() {},
      onattribdata() {},
      onattribentity() {},
      onattribend() {},
      onend() {
        endPiece('');
      },
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { ...(title !== undefined && { title }), pieces };

  function add(more: string, from: number): void {
    if (unseen !== '') return;
    if (start === undefined) {
      const seen = more.search(/\S/);
      if (seen >= 0) start = from + seen;
    }
    text += more;
  }

  function endPiece(tag: string): void {
    if (unseen !== '' || INLINE.has(tag)) return;
    const [read, from] = [text.replace(/\s+/g, ' ').trim(), start];
    text = '';
    start = undefined;
    if (from === undefined) return;
    if (inTitle) title ??= read;
    else pieces.push({ text: read, line: lineAt(from) });
  }
}

/**
 * The lines of a text; `title` is the first heading of Markdown.
 * @example readLines('# Reef\n\nA coral reef.\n').title; // 'Reef'
 */
export function readLines(text: string): PageText {
  const lines = text.split(/\r\n?|\n/).map((line) => line.replace(/\s+/g, ' ').trim());
  const heading = lines.map((line) => HEADING.exec(line)?.[1]).find((one) => one !== undefined && one !== '');
  const pieces = lines.map((line, at) => ({ text: line, line: at + 1 })).filter((piece) => piece.text !== '');
  return { ...(heading !== undefined && { title: heading }), pieces };
}

/** Line numbers of offsets that only grow, each found from the one before. */
function lineCounter(text: string): (offset: number) => number {
  let at = 0;
  let line = 1;
  return (offset) => {
    for (let next = text.indexOf('\n', at); next >= 0 && next < offset; next = text.indexOf('\n', at)) {
      line++;
      at = next + 1;
    }
    return line;
  };
}
