import { Tokenizer } from 'htmlparser2';

const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'svg']);
/** Tags that do not end a line. All other tags do, so that an unknown element does not join two words. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rb rt rp s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const ignored = () => {};

export function readHtml(html: string): { readonly title?: string; readonly text: string } {
  const lines: string[] = [];
  let title: string | undefined;
  let line = '';
  let name = '';
  let inTitle = false;
  /** The name of the invisible element that is open, or ''. `depth` counts nested elements of this name. */
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
