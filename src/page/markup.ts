/** Markup that escapes every text and shows its hidden characters. There is no way around either. */

import { html as tag } from 'hono/html';
import { visible } from '../plan/text/index.ts';

export type Html = Extract<ReturnType<typeof tag>, string>;
export type Piece = Html | Exact | string | number | false | undefined | readonly Piece[];

/** A text that the form sends back unchanged, such as a field's value: escaped, hidden characters kept. */
export interface Exact {
  readonly exactly: string;
}

/** @example html`<textarea>\n${exact(document)}</textarea>` */
export function exact(text: string): Exact {
  return { exactly: text };
}

/** @example html`<p>${text}</p>` */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return tag(strings, ...pieces.map(shown)) as Html;
}

function shown(piece: Piece): unknown {
  if (typeof piece === 'string') return isMade(piece) ? piece : visible(piece, { lines: true });
  if (typeof piece !== 'object') return piece;
  if (isMade(piece)) return piece;
  if (Array.isArray(piece)) return (piece as readonly Piece[]).map(shown);
  return (piece as Exact).exactly;
}

/** The tag returns marked String objects. */
function isMade(piece: object | string): boolean {
  return typeof piece === 'object' && 'isEscaped' in piece;
}
