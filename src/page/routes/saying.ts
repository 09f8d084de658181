import {
  eachAtOnce,
  performSent,
  loadOpenPlan,
  toOperationError,
  type OperationError,
  type Plans,
} from '../../operations/index.ts';
import { commandOf, fieldOf, itemCommand, type Sent } from '../../operations/words/index.ts';
import { given, isWholeDigest, type OpenItem } from '../../protocol/index.ts';
import { isName, LONGEST_LIFE_SECONDS } from '../../protocol/identity/index.ts';
import { DOCUMENTS, refOfDigest, resultsIn } from '../../store/index.ts';
import { AccessError, type PageVisit } from '../access.ts';
import { html, type HtmlPiece } from '../markup.ts';
import { messagesOf, readToken, sendMessage, effectsSeenIn, type PageMessage, type PageSender } from '../messages.ts';
import { httpStatusOf, type App, type Page } from '../page.ts';
import { runPath } from '../paths.ts';
import { sideBySide } from '../view/changes.ts';
import type { Frame } from '../view/layout.ts';
import { waitCard } from '../view/waits.ts';
import {
  loginPage,
  namePage,
  problemPage,
  signPage,
  repliesPage,
  whoPage,
  type ReplyToPage,
} from '../view/short-pages.ts';

/**
 * Time limit in ms for a run's reply. A planner may take minutes, and the run's page shows that the message has
 * arrived.
 */
const REPLY_MS = 10_000;
/** Maximum characters of a document in a message, since the history contains it. Longer ones are sent by reference. */
const INLINE_CHARACTERS = 2048;

export function addSaying(app: App, page: Page): void {
  const { plans, access, watches, inbox, show, nameOf } = page;

  app.post('/say', async (visit) => {
    const sent = await receiveForm(visit, page);
    const by = speakerOf(visit, sent);
    if (by === undefined) return show(visit, { title: 'Who says it?', main: whoPage(visit.req.path, sent.all) });
    if (sent('does')[0] === 'rerun') {
      const { workflowId } = await performSent('start', plans, { of: sent('run')[0] });
      return visit.redirect(runPath(workflowId), 303);
    }
    const speaker = { by, ...roleIn(sent) };
    if (speaker.role !== undefined) access.remember(visit, 'role', speaker.role, NAME_SECONDS);
    const [becomes] = sent('becomes');
    // Both plans of the person's own edit, so that the page does not report it as a change of others.
    if (becomes !== undefined) access.keep(visit, 'own', `${sent('digest')[0]}:${becomes}`);
    const openOf = async (run: string) => (await watches.look(run)).seen.open;
    const again = (error: OperationError) => askAgain(visit, sent, error);
    const messages = await messagesOf(sent, openOf).catch((error: OperationError) => again(error));
    if (messages instanceof Response) return messages;
    if (await needsSignature(messages)) return askToSign(visit, messages, speaker);
    return tellRuns(
      visit,
      messages.map((message) => ({ message, send: () => sendMessage(plans, message, speaker) })),
      () => askToSign(visit, messages, speaker),
      again,
    );
  });

  /** Shows the question again with everything that was typed. @throws the given error if no answer was sent */
  async function askAgain(visit: PageVisit, sent: Sent, error: OperationError): Promise<Response> {
    const [[run = ''], [id]] = [sent('run'), sent('question')];
    const open = sent('does')[0] === 'answer' ? (await watches.look(run)).seen.open : [];
    const item = open.find((one) => one.id === id);
    if (item === undefined) throw error;
    const { field = fieldNamed(item, error.message) } = error.details as { readonly field?: string };
    const misfit = { sent, problem: error.message, field };
    const card = { item, runs: sent('run'), replans: false, context: [], nodes: [], misfit };
    const main = html`<h1>Not answered yet</h1>${waitCard({ ...card, command: itemCommand(item, plans.typed) })}`;
    return show(visit, { title: 'Not answered yet', main }, 422);
  }

  app.post('/say/signed', async (visit) => {
    const sent = await receiveForm(visit, page);
    const signed = sent('token').map(readToken);
    if (signed.length === 0) throw new AccessError(400, 'no message was signed; nothing was sent');
    return tellRuns(
      visit,
      signed.map(({ token, message, speaker }) => {
        const signer = plans.signedBy(async () => token);
        return { message, send: () => sendMessage(signer, { ...message, ...effectsSeenIn(sent) }, speaker) };
      }),
    );
  });

  app.get('/me', (visit) => show(visit, { title: 'You', main: namePage(nameOf(visit) ?? '') }));
  app.post('/me', async (visit) => {
    const sent = await receiveForm(visit, page);
    keepName(visit, sent('name')[0] ?? '');
    return visit.redirect('/', 303);
  });

  app.get('/login', (visit) => {
    const key = visit.req.query('key');
    if (key !== undefined && access.letInside(visit, key)) return show(visit, onTo('/'));
    return show(visit, { title: 'Token', main: loginPage(false) });
  });
  app.post('/login', async (visit) => {
    const sent = await receiveForm(visit, page);
    const next = access.letIn(visit, sent('token')[0] ?? '');
    if (next === undefined) return show(visit, { title: 'Token', main: loginPage(true) }, 401);
    return next === '/' ? visit.redirect(next, 303) : show(visit, onTo(next));
  });

  /**
   * A page with a link to `next`. Forms may not redirect to another origin, and browsers would send no cookies there.
   */
  function onTo(next: string): Frame {
    return { title: 'Come in', next, main: html`<p>You are in: <a href="${next}">go on</a>.</p>` };
  }

  /** The sender: the proxy's name, this browser's name, or the form's; undefined if there is none. */
  function speakerOf(visit: PageVisit, sent: Sent): string | undefined {
    const typed = sent('by')[0];
    return nameOf(visit) ?? (typed === undefined ? undefined : keepName(visit, typed));
  }

  function keepName(visit: PageVisit, typed: string): string {
    const name = typed.trim();
    if (!isName(name))
      throw new AccessError(
        400,
        'a run records who says it: type your name, one line of at most 200 characters; nothing was sent',
      );
    access.remember(visit, 'name', name, NAME_SECONDS);
    return name;
  }

  /** Whether the project or the open item accepts only signed messages. */
  async function needsSignature(messages: readonly PageMessage[]): Promise<boolean> {
    const project = await plans.project().catch(() => undefined);
    if (project?.identity !== undefined) return true;
    return (await watches.look(messages[0]!.workflowId)).seen.open.some(({ signed }) => signed === true);
  }

  async function askToSign(visit: PageVisit, messages: readonly PageMessage[], { role }: PageSender) {
    const { namespace } = await plans.session();
    const toSign = await eachAtOnce(messages, async (one) => {
      const { workflowId, body: message, allSeen } = await withReference(one);
      const command = commandOf(
        workflowId,
        { ...message, ...given({ role, 'all-seen': allSeen }) },
        { typed: plans.typed, signed: true },
      );
      const { firstRunId } = await (await plans.run(workflowId)).run.view(['firstRunId']);
      return { workflowId, firstRunId, message, role, command, allSeen };
    });
    return show(visit, { title: 'Sign it', main: signPage(toSign, namespace, LONGEST_LIFE_SECONDS) });
  }

  async function withReference(message: PageMessage): Promise<PageMessage> {
    const { plan, ...rest } = message.body;
    if (typeof plan !== 'string' || plan.length <= INLINE_CHARACTERS) return message;
    const { results } = await plans.run(message.workflowId);
    return { ...message, body: { ...rest, ref: await resultsIn(results, DOCUMENTS).put(Buffer.from(plan, 'utf8')) } };
  }

  interface Sending {
    readonly message: PageMessage;
    readonly send: () => Promise<string>;
  }

  /** Sends each message and shows the replies. If there is one run, its own page shows the reply. */
  async function tellRuns(
    visit: PageVisit,
    sendings: readonly Sending[],
    unsigned?: () => Promise<Response>,
    again?: (error: OperationError) => Promise<Response>,
  ) {
    const replies = await eachAtOnce(sendings, outcomeOf);
    inbox.renew();
    for (const { workflowId } of replies) watches.renew(workflowId);
    const [only] = replies;
    if (replies.length !== 1 || only === undefined) return show(visit, { title: 'Said', main: repliesPage(replies) });
    if (only.error === undefined) {
      access.keepReply(visit, only.text);
      return visit.redirect(backOf(visit) ?? runPath(only.workflowId), 303);
    }
    if (only.error.details['refusal'] === 'wrong-answer' && again !== undefined) return again(only.error);
    if (only.error.details['refusal'] === 'not-verified' && unsigned !== undefined) return unsigned();
    const changes = await changesSince(plans, only.workflowId, sendings[0]!.message.body['digest']);
    const beside = [
      changes !== '' && [html`<h2>What has changed since you looked</h2>`, changes],
      html`<p><a href="${runPath(only.workflowId)}">how it stands now</a></p>`,
    ];
    const { code } = only.error;
    return show(
      visit,
      { title: 'Refused', main: problemPage({ code, message: only.text, beside }) },
      httpStatusOf(code),
    );
  }

  async function outcomeOf({ message, send }: Sending): Promise<ReplyToPage & { readonly error?: OperationError }> {
    const { workflowId } = message;
    const sending = send();
    const late = new Promise<string>((resolve) => {
      setTimeout(resolve, REPLY_MS, 'the run has not answered yet; its page tells what comes of it').unref();
    });
    try {
      return { workflowId, text: await Promise.race([sending, late]), isRefused: false };
    } catch (error) {
      const failure = toOperationError(error, plans.typed);
      return { workflowId, text: failure.message, isRefused: true, error: failure };
    }
  }
}

/** Finds the first form field whose path the run's message contains. */
function fieldNamed(item: OpenItem, message: string): string | undefined {
  const field = fieldOf(item);
  if (field.kind !== 'group') return undefined;
  return field.fields.find(({ key = '' }) => message.includes(`$.${key}`))?.name;
}

/** Changes since the plan that this reader saw last; '' if unknown. */
export async function changesSince(plans: Plans, workflowId: string, digest: unknown): Promise<HtmlPiece> {
  if (typeof digest !== 'string' || !isWholeDigest(digest)) return '';
  try {
    const { run, store } = await plans.run(workflowId);
    const { plan: view } = await run.view(['plan']);
    if (view.digest === digest || view.digest === '') return '';
    const was = await loadOpenPlan(store, { ref: refOfDigest(digest), revision: 0 });
    return sideBySide(was, await loadOpenPlan(store, view));
  } catch {
    // The page is useful without the changes.
    return '';
  }
}

const NAME_SECONDS = 31_536_000;

/** The page to return to: the inbox, if the answer was sent from it. */
function backOf(visit: PageVisit): string | undefined {
  const from = visit.req.header('referer') ?? '';
  return URL.canParse(from) && new URL(from).pathname === '/' ? '/' : undefined;
}

function roleIn(sent: Sent): { readonly role?: string } {
  const [role = ''] = sent('role');
  return role === '' ? {} : { role };
}

const FORMS = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/;

interface SentForm extends Sent {
  readonly all: readonly (readonly [name: string, value: string])[];
}

/**
 * @bound {bytes} a document, or any other text of a form @beyond 413; `planwright run FILE` takes longer ones. Form
 * encoding does not count
 */
export const MAX_FORM_TEXT = 4_194_304;

/** Reads a form after checking that it comes from this page. */
export async function receiveForm(visit: PageVisit, { access }: Pick<Page, 'access'>): Promise<SentForm> {
  if (!FORMS.test(visit.req.header('content-type') ?? ''))
    throw new AccessError(400, 'expected a form; nothing was sent');
  const form = await visit.req.formData().catch(() => {
    throw new AccessError(400, 'the form cannot be read; nothing was sent');
  });
  const texts = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const long = texts.find(([, text]) => Buffer.byteLength(text) > MAX_FORM_TEXT);
  if (long !== undefined) {
    throw new AccessError(413, `${long[0]} is too long: expected at most ${MAX_FORM_TEXT} bytes; nothing was sent`);
  }
  const sent: Sent = (name) => texts.flatMap(([key, value]) => (key === name ? [value] : []));
  access.checkForm(visit, sent('csrf')[0]);
  return Object.assign(sent, { all: texts.filter(([name]) => name !== 'csrf') });
}
