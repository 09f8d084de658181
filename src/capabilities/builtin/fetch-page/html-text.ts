/** The text of an HTML page: what a reader would see of it. */

import { Tokenizer } from 'htmlparser2';

/** Elements whose text is no text of the page. */
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);
/** Tags between which a text goes on as one line. Any other tag ends a line, so that a new element joins no two words. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rb rt rp s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const ignored = () => {};

/**
 * The lines that a person would read of an HTML page, none of them blank, and its title. Takes any text, in time that grows
 * with its length: no tree is built.
 * @example readHtml('<title>Reef</title><p>A <b>coral</b> reef.'); // { title: 'Reef', text: 'A coral reef.' }
 */
export function readHtml(html: string): { readonly title?: string; readonly text: string } {
  const lines: string[] = [];
  let title: string | undefined;
  let line = '';
  let name = '';
  let inTitle = false;
  /** The unseen element that is open, and how many of its name are inside each other. */
  let unseen = '';
  let depth = 0;
  const add = (text: string) => {
    if (unseen === '') line += text;
  };
  const endLine = (tag: string) => {
    if (unseen !== '' || INLINE.has(tag)) return;
    const read = line.replace(/\s+/g, ' ').trim();
    line = '';
    if (read === '') return;
    if (inTitle) title ??= read;
    else lines.push(read);
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname(from, to) {
        name = html.slice(from, to).toLowerCase();
        endLine(name);
      },
      onopentagend() {
        if (unseen === '' && UNSEEN.has(name)) unseen = name;
        if (unseen === name) depth++;
        if (unseen === '' && name === 'title') inTitle = true;
      },
      onclosetag(from, to) {
        const closed = html.slice(from, to).trim().toLowerCase();
        if (unseen !== '') {
          if (closed === unseen && --depth === 0) unseen = '';
          return;
        }
        endLine(closed);
        if (closed === 'title') inTitle = false;
      },
      ontext: (from, to) => add(html.slice(from, to)),
      ontextentity: (code) => add(String.fromCodePoint(code)),
      onend: () => endLine(''),
      onselfclosingtag: ignored,
      oncdata: ignored,
      oncomment: ignored,
      ondeclaration: ignored,
      onprocessinginstruction: ignored,
      onattribname: ignored,
      onattribdata: ignored,
      onattribentity: ignored,
      onattribend: ignored,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { ...(title !== undefined && { title }), text: lines.join('\n') };
}
