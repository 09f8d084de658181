import { randomBytes } from 'node:crypto';
import { nodeLabel } from '../../plan/outline/index.ts';
import { clockText, counted, grouped } from '../../plan/text/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { nodePath } from '../paths.ts';

export interface Frame {
  readonly title: string;
  readonly count?: number;
  readonly main: HtmlPiece;
  readonly next?: string;
  /** The live view's address, and the mark of this page. */
  readonly live?: { readonly path: string; readonly mark: string };
}

export interface Reader {
  readonly name?: string | undefined;
  readonly isNamed: boolean;
  readonly reply?: string | undefined;
  readonly path: string;
}

/** Stands for a browser's form token until the page is sent, since browsers share rendered parts. */
export const FORM_TOKEN = randomBytes(24).toString('base64url');

const NAV = [
  ['/', 'Inbox'],
  ['/runs', 'Runs'],
  ['/new', 'New plan'],
  ['/key', 'Key'],
] as const;

export function frame({ title, count = 0, main, live, next }: Frame, { name, isNamed, reply, path }: Reader): Html {
  const links = NAV.map(([to, word]) => {
    const isHere = to === path || (to !== '/' && path.startsWith(`${to}/`));
    return html`<a href="${to}"${isHere && html` aria-current="page"`}>${word}</a>`;
  });
  const proof = isNamed ? 'by the proxy' : 'unverified';
  const who =
    name === undefined ? html`<a href="/me">say who you are</a>` : html`${name} <span class="dim">(${proof})</span>`;
  const other = name !== undefined && !isNamed && html` <a href="/me">change</a>`;
  const view = live && html` data-live="${live.path}" data-mark="${live.mark}"`;
  return html`<!doctype html>
    <html lang="en">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="color-scheme" content="light dark">
      ${next !== undefined && html`<meta http-equiv="refresh" content="0;url=${next}">`}<title>${count > 0 && `(${count}) `}${title} · Planwright</title>
      <link rel="stylesheet" href="/page.css">
      <link rel="icon" href="/icon.svg" type="image/svg+xml">
      <script src="/idiomorph.js" defer></script>
      <script src="/page.js" defer></script>
    </head>
    <body>
      <a class="skip" href="#main">To the content</a>
      <header><b class="brand">Planwright</b><nav aria-label="Pages">${links}</nav><p>${who}${other}</p></header>
      <main id="main" tabindex="-1">
        ${reply !== undefined && html`<p class="said lines" role="status">${reply}</p>`}
        <div id="page"${view}>${main}</div>
      </main>
    </body>
    </html>`;
}

export type Hidden = Readonly<Record<string, string | readonly string[]>>;

interface FormOptions {
  /** Default `/say`. */
  readonly to?: string;
  /** True to send the form as multipart, since URL encoding can triple a long text. */
  readonly isLong?: boolean;
}

export function form(hidden: Hidden, inside: HtmlPiece, { to = '/say', isLong = false }: FormOptions = {}): Html {
  const fields = Object.entries({ csrf: FORM_TOKEN, ...hidden }).flatMap(([name, values]) =>
    [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${exact(value)}">`),
  );
  const type = isLong && html` enctype="multipart/form-data"`;
  return html`<form method="post" action="${to}"${type}>${fields}${inside}</form>`;
}

export function button(word: string, does: string, kind = ''): Html {
  return html`<button name="does" value="${does}" class="${kind}">${word}</button>`;
}

export function roleField(roles: readonly string[] | undefined): Html | '' {
  if (roles === undefined) return '';
  const options = roles.map((role) => html`<option value="${exact(role)}">as ${role}</option>`);
  const none = roles.length > 1 && html`<option value="">choose your role</option>`;
  return html`<label><span class="vh">As</span> <select name="role">${none}${options}</select></label>`;
}

export function commentField(label: string, isRequired = false): Html {
  return html`<label><span class="vh">${label}</span> <input name="comment" placeholder="${label}" maxlength="10000"${isRequired && html` required`}></label>`;
}

/** A part that a person can open. With an id, it stays open across updates. */
export function folded(word: string, inside: HtmlPiece, id?: string): Html {
  return html`<details${id !== undefined && html` id="${id}"`}><summary>${word}</summary>${inside}</details>`;
}

/** A UTC time, which the script shows in local time. */
export function timeOf(iso: string, beside?: string): Html {
  return html`<time datetime="${iso}" title="${clockText(iso)}">${clockText(iso, beside)}</time>`;
}

/** Lines whose UTC times become `time` elements. A time of day belongs to the last date before it. */
export function withTimes(lines: readonly string[]): readonly HtmlPiece[] {
  let day = '';
  return lines.map((line) =>
    line.split(/((?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ)/).map((part, at) => {
      const [clock = '', date = day] = part.split(' ').toReversed();
      if (at % 2 === 0 || date === '') return part;
      day = date;
      return timeOf(`${date}T${clock}`, date);
    }),
  );
}

export function andMore(count: number, of: string): Html | '' {
  return count > 0 ? html`<p>and ${counted(count, `more ${of}`)}</p>` : '';
}

export function pager(from: number, size: number, total: number, addressOf: (from: number) => string): HtmlPiece {
  const to = (at: number, word: string) => html` <a href="${addressOf(at)}">${word}</a>`;
  return [
    from > 0 && to(Math.max(0, from - size), 'those before'),
    from + size < total && to(from + size, 'those after'),
  ];
}

export function nodeLink(workflowId: string, { id, key }: Pick<SeenNode, 'id' | 'key'>): Html {
  return html`<a href="${nodePath(workflowId, id)}">${nodeLabel(given({ id, key }))}</a>`;
}

export function listOf(items: readonly HtmlPiece[], kind = ''): Html | '' {
  return items.length === 0 ? '' : html`<ul class="${kind}">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

type Row = Html | readonly HtmlPiece[];

/** A table with right-aligned numbers. On narrow screens it scrolls without the page. */
export function tableOf(heads: readonly HtmlPiece[], rows: readonly Row[], label: string, kind = ''): Html {
  const [first] = rows;
  const isNumber = (at: number) => Array.isArray(first) && typeof first[at] === 'number';
  const head = html`<tr>${heads.map((one, at) => html`<th scope="col"${isNumber(at) && html` class="n"`}>${one}</th>`)}</tr>`;
  const cell = (one: HtmlPiece) =>
    typeof one === 'number' ? html`<td class="n">${grouped(one)}</td>` : html`<td>${one}</td>`;
  const body = rows.map((row) => (Array.isArray(row) ? html`<tr>${row.map(cell)}</tr>` : (row as Html)));
  const table = html`<table class="${kind}"><thead>${head}</thead><tbody>${body}</tbody></table>`;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`;
}
