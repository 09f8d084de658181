import type { PlanIssue } from '../../plan/index.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { runPath } from '../paths.ts';
import { issueItem } from './plan.ts';
import { form, listOf } from './layout.ts';

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly PlanIssue[];
  readonly beside?: HtmlPiece;
}

export function problemPage({ code, message, issues = [], beside }: Problem): Html {
  return html`<h1>It could not be done</h1>
    <p class="warning lines" role="alert">${message}</p>
    ${issues.map(issueItem)}${beside}
    <p class="dim"><code>${code}</code> · <a href="/">inbox</a></p>`;
}

export interface ReplyToPage {
  readonly workflowId: string;
  readonly text: string;
  readonly isRefused: boolean;
}

export function repliesPage(replies: readonly ReplyToPage[]): Html {
  const refused = replies.filter(({ isRefused }) => isRefused).length;
  const items = replies.map(
    ({ workflowId, text, isRefused }) =>
      html`${isRefused && html`<b>refused</b> `}<a href="${runPath(workflowId)}">${workflowId}</a>: ${text}`,
  );
  return html`<h1>${refused === 0 ? 'Said' : `${refused} of ${replies.length} refused it`}</h1>
    ${listOf(items)}<p><a href="/">inbox</a></p>`;
}

function nameField(name: string, value: string): Html {
  return html`<label>Your name <input name="${name}" value="${exact(value)}" autocomplete="name" maxlength="200" required></label>`;
}

export function namePage(name: string): Html {
  return html`<h1>Who are you?</h1>
    <p>Runs record this name with what you say. It is not verified: <code>identity</code> in the configuration makes runs take signed messages only.</p>
    ${form({}, html`${nameField('name', name)}<button class="main">Keep it here</button>`, { to: '/me' })}`;
}

export function whoPage(to: string, fields: readonly (readonly [name: string, value: string])[]): Html {
  const hidden = fields.map(
    ([name, value]) => html`<input type="hidden" name="${exact(name)}" value="${exact(value)}">`,
  );
  const word = (wanted: string) => fields.find(([name]) => name === wanted)?.[1];
  const [does, run, digest = ''] = ['does', 'run', 'digest'].map(word);
  return html`<h1>Who says it?</h1>
    ${does !== undefined && html`<p>To be sent: <b>${does}</b> ${digest.slice(0, 8)} to <code>${run}</code>.</p>`}
    <p>Runs record a name with what is said. It is kept in this browser, and is not verified.</p>
    ${form({}, html`${hidden}${nameField('by', '')}<button class="main">Send it</button>`, { to, isLong: true })}`;
}

export function loginPage(isWrong: boolean): Html {
  const field = html`<label>Token <input name="token" type="password" autocomplete="current-password" maxlength="1000" required></label>`;
  return html`<h1>The token of this page</h1>
    ${isWrong && html`<p class="warning" role="alert">That is not it.</p>`}
    <p>It stands in the file that <code>planwright serve --token</code> names.</p>
    ${form({}, html`${field}<button class="main">Come in</button>`, { to: '/login' })}`;
}

export interface ToSign {
  readonly workflowId: string;
  readonly firstRunId: string | undefined;
  readonly message: Readonly<Record<string, unknown>>;
  readonly role?: string | undefined;
  readonly command: string;
  readonly allSeen?: number | undefined;
}

/** Messages to sign in the browser or on a command line; nothing has been sent yet. */
export function signPage(messages: readonly ToSign[], namespace: string, lifeSeconds: number): Html {
  const json = JSON.stringify(
    messages.map(({ workflowId, firstRunId, message, role }) => ({ aud: workflowId, firstRunId, message, role })),
  );
  const cards = messages.map(
    ({ workflowId, message, command }) => html`<section class="wait">
      <h2><a href="${runPath(workflowId)}">${workflowId}</a></h2>
      <pre>${JSON.stringify(message, null, 2)}</pre>
      <p>On a command line, with your key:</p>
      <pre><code>${command}</code></pre>
    </section>`,
  );
  const place = html`<div data-sign="${exact(json)}" data-namespace="${exact(namespace)}" data-life="${lifeSeconds}">
    <p class="dim">Here, with a key of this browser: it needs JavaScript, and <a href="/key">a key</a>.</p>
  </div>`;
  const [first] = messages;
  const effectsSeen = first?.allSeen === undefined ? {} : { allSeen: String(first.allSeen) };
  return html`<h1>Sign it</h1>
    <p>${messages.length === 1 ? 'This run takes' : 'These runs take'} signed messages only. Nothing was sent yet.</p>
    ${cards}${form(effectsSeen, place, { to: '/say/signed' })}`;
}

/** Makes a key in the browser only. If this server saw the key, it would prove nothing. */
export function keyPage(name: string | undefined): Html {
  return html`<h1>The key of this browser</h1>
    <p>An Ed25519 key that signs what you say. Its private part is made in this browser, and nobody can take it out; clear the data of this site, and it is gone.</p>
    <p class="warning" id="no-key">This needs JavaScript, a browser with Ed25519 in WebCrypto, and an address of this machine or https.</p>
    <form id="make-key" hidden>
      <label>Your name, as the key speaks for it <input name="subject" value="${exact(name ?? '')}" maxlength="200"></label>
      <label>Your roles, with commas between <input name="roles" maxlength="200"></label>
      <button class="main">Make a key</button>
    </form>
    <div id="own-key" hidden>
      <p>There is a key of <span></span>. Its public half, as planwright.config.ts takes it; start the workers again then:</p>
      <pre><code></code></pre>
      <button type="button" class="bad">Forget this key</button>
    </div>`;
}
