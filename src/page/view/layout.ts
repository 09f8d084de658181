/** The frame of every page, and the form in which everything is said. */

import { randomBytes } from 'node:crypto';
import { exact, html, type Html, type Piece } from '../markup.ts';

export interface Frame {
  readonly title: string;
  /** Waits for a person; it stands in the title. */
  readonly count?: number;
  readonly main: Piece;
  /** The address of the live view of this page, and the mark of what it shows. */
  readonly live?: { readonly path: string; readonly mark: string };
}

/** The reader, and all else that a page tells beside its own. */
export interface Reader {
  readonly name?: string | undefined;
  /** A proxy named them; else they typed it. */
  readonly isNamed: boolean;
  /** An answer to what was said on the page before. */
  readonly told?: string | undefined;
}

/** It stands for the value that the forms of one browser bring back; pages are made for all. */
export const FORM_MARK = randomBytes(24).toString('base64url');

const NAV = [
  ['/', 'Inbox'],
  ['/runs', 'Runs'],
  ['/new', 'New plan'],
  ['/key', 'Key'],
] as const;

export function frame({ title, count = 0, main, live }: Frame, { name, isNamed, told }: Reader, version: string): Html {
  const head = `${count === 0 ? '' : `(${count}) `}${title} · Planwright`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${head}</title>
        <link rel="stylesheet" href="/page.css?${version}" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <script src="/page.js?${version}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">To the content</a>
        <header>
          <nav aria-label="Pages">${NAV.map(([path, word]) => html`<a href="${path}">${word}</a>`)}</nav>
          <p class="who">
            ${name === undefined ? html`<a href="/me">say who you are</a>` : html`${name} <span class="dim">(${isNamed ? 'by the proxy' : 'unverified'})</span>${!isNamed && html` <a href="/me">change</a>`}`}
          </p>
        </header>
        <main id="main" tabindex="-1">
          ${told !== undefined && html`<p class="said lines" role="status">${told}</p>`}
          <div ${live !== undefined && html`data-live="${live.path}" data-mark="${live.mark}"`}>${main}</div>
        </main>
      </body>
    </html>`;
}

interface FormOptions {
  readonly to?: string;
  readonly class?: string;
  /** A long text travels so in about its own length. */
  readonly isLong?: boolean;
}

/** A form that says something: its hidden fields, and its own. */
export function form(
  hidden: Readonly<Record<string, string | readonly string[]>>,
  inside: Piece,
  options: FormOptions = {},
): Html {
  const { to = '/say', class: kind = '', isLong = false } = options;
  const fields = Object.entries({ csrf: FORM_MARK, ...hidden }).flatMap(([name, value]) =>
    [value].flat().map((one) => html`<input type="hidden" name="${name}" value="${exact(one)}" />`),
  );
  return html`<form method="post" action="${to}" class="${kind}" ${isLong && html` enctype="multipart/form-data"`}>
    ${fields}${inside}
  </form>`;
}

export function button(word: string, value: string, kind = ''): Html {
  return html`<button name="does" value="${value}" class="${kind}">${word}</button>`;
}

export function roleField(roles: readonly string[] | undefined): Html | '' {
  if (roles === undefined) return '';
  const only = roles.length === 1;
  return html`<label>As
    <select name="role">
      ${!only && html`<option value="">choose your role</option>`}${roles.map(
        (role) => html`<option value="${exact(role)}">${role}</option>`,
      )}
    </select></label>`;
}

export function commentField(label: string, isRequired = false, name = 'comment'): Html {
  return html`<label>${label} <input name="${name}" maxlength="10000" ${isRequired && html` required`} /></label>`;
}

/** A thing that opens. */
export function folded(word: string, inside: Piece, id = ''): Html {
  return html`<details${id !== '' && html` id="${id}"`}><summary>${word}</summary>${inside}</details>`;
}
