/** Markup that escapes every text and its hidden characters. Nothing can bypass this. */

import { html as tag } from 'hono/html';
import { visible } from '../plan/text/index.ts';

export type Html = Extract<ReturnType<typeof tag>, string>;
export type HtmlPiece = Html | Exact | string | number | false | undefined | readonly HtmlPiece[];

/** A text that the form sends back unchanged, such as a field's value: escaped, but with its hidden characters. */
export interface Exact {
  readonly exactly: string;
}

/** @example html`<textarea>\n${exact(document)}</textarea>` */
export function exact(text: string): Exact {
  return { exactly: text };
}

/** @example html`<p>${text}</p>` */
export function html(strings: TemplateStringsArray, ...pieces: readonly HtmlPiece[]): Html {
  return tag(strings, ...pieces.map(render)) as Html;
}

function render(piece: HtmlPiece): unknown {
  if (typeof piece === 'string') return isMade(piece) ? piece : visible(piece, { lines: true });
  if (typeof piece !== 'object') return piece;
  if (isMade(piece)) return piece;
  if (Array.isArray(piece)) return (piece as readonly HtmlPiece[]).map(render);
  return (piece as Exact).exactly;
}

function isMade(piece: object | string): boolean {
  return typeof piece === 'object' && 'isEscaped' in piece;
}
