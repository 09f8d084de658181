import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { pause } from '../../client/follow.ts';
import { OperationError, performSent, type Plans } from '../../operations/index.ts';
import { given, isRecord, timeoutSignal } from '../../protocol/index.ts';
import { AccessError, type PageVisit } from '../access.ts';
import { MAX_RESULT_BYTES, readContent } from '../contents.ts';
import type { Waits } from '../inbox.ts';
import { liveView } from '../live.ts';
import type { App, Page } from '../page.ts';
import { idOf, runPath, type ResultPart } from '../paths.ts';
import { effectsPage, nodesPage, tracePage } from '../view/lists.ts';
import { whyPage } from '../view/node.ts';
import { inboxPage, OPEN_STATE, RUNS_FIELDS, runsPage, type RunsView } from '../view/overview.ts';
import { forSpreadsheet, resultPage, tabSeparated, type FileFormat, type Large } from '../view/result.ts';
import { roundsPage } from '../view/rounds.ts';
import { runPage, titleOf } from '../view/run.ts';
import { html, type HtmlPiece } from '../markup.ts';
import type { Seen } from '../watch.ts';
import { changesSince } from './saying.ts';
import { keyPage } from '../view/short-pages.ts';

/**
 * Maximum numbers: runs in a list, grants, trace entries on a page, rounds that are read, and runs whose last plans a
 * browser remembers.
 */
const SHOWN = { runs: 50, entries: 500, rounds: 200, seen: 8 };
/** A result counts as missing after this many ms. */
const RESULT_MS = 5000;
/** Maximum number of large results that are sent at the same time. */
const LARGE_FILES = 6;
/** Bytes of a large result that are sent before other requests get a turn. */
const PIECE = 262_144;
const INBOX_MS = 5000;

export function addReading(app: App, page: Page): void {
  const { plans, access, watches, inbox, show, nameOf } = page;
  let takenAway = 0;
  // Large results are read one at a time, since each is hashed completely.
  const oneRead = pLimit(1);

  app.get('/', async (visit) => {
    await needServer(plans);
    const waits = await inbox.read();
    const live = { path: '/live', mark: markOf(waits) };
    const { item, kind, role, for: whom } = visit.req.query();
    const reader = { name: nameOf(visit), role: access.remembered(visit, 'role') };
    const main = inboxPage(waits, { item, kind, role, for: whom }, reader);
    return show(visit, { title: 'Inbox', count: waits.count, main, live });
  });

  app.get('/live', (visit) => {
    let mark = visit.req.query('mark') ?? '';
    return liveView(visit, {
      // If the server is unavailable, the mark stays, so that the page stays and asks again.
      mark: async () => (mark = await inbox.read().then(markOf, () => mark)),
      wait: (_mark, signal) => pause(INBOX_MS, signal),
      isOver: () => false,
      close: () => {},
    });
  });

  app.get('/runs', async (visit) => {
    await needServer(plans);
    const texts = RUNS_FIELDS.map((name) => [name, visit.req.query(name)?.trim() ?? '']);
    const view: RunsView = Object.fromEntries(texts.filter(([, text]) => text !== ''));
    const { state, ...filter } = view;
    const request = { ...filter, ...(state === OPEN_STATE ? { open: true } : given({ state })), limit: SHOWN.runs };
    const { runs, lookedAt } = await performSent('list', plans, request);
    const more = runs.length === SHOWN.runs;
    return show(visit, { title: 'Runs', main: runsPage(runs, view, { lookedAt, more }) });
  });

  app.get('/runs/:run', async (visit) => {
    const watch = await watches.look(readRunView(visit));
    const { seen, parts, mark } = watch;
    const live = watch.isOver() ? {} : { live: { path: runPath(seen.workflowId, 'live'), mark } };
    const was = await changedBefore(visit, seen);
    return show(visit, { title: titleOf(seen), count: seen.open.length, main: runPage(parts, was), ...live });
  });

  /** The changes since the plan that this browser saw last, if another plan waits now. */
  async function changedBefore(visit: PageVisit, { workflowId, plan, open }: Seen): Promise<HtmlPiece> {
    if (plan === undefined || !open.some(({ kind }) => kind === 'approval')) return '';
    const id = createHash('sha256').update(workflowId).digest('base64url').slice(0, 12);
    const remembered = (access.kept(visit, 'seen') ?? '').split(',').map((one) => one.split(':'));
    const [, before = '', last = ''] = remembered.find(([run]) => run === id) ?? [];
    const was = last === plan.digest ? before : last;
    const all = [[id, was, plan.digest], ...remembered.filter(([run]) => run !== id)].slice(0, SHOWN.seen);
    access.keep(visit, 'seen', all.map((one) => one.join(':')).join(','));
    const changes = was === '' ? '' : await changesSince(plans, workflowId, was);
    if (changes === '') return '';
    if (access.kept(visit, 'own') === `${was}:${plan.digest}`)
      return html`<details open><summary>What your change does</summary>${changes}</details>`;
    return html`<details class="warning" open><summary>The plan has changed since you looked</summary>${changes}</details>`;
  }

  app.get('/runs/:run/live', async (visit) => {
    const watch = await watches.look(readRunView(visit));
    const { markNow: mark, changed: wait, isOver } = watch;
    return liveView(visit, { mark, wait, isOver, close: watch.hold() });
  });

  app.get('/runs/:run/nodes', async (visit) => {
    const { seen } = await watches.look(readRunView(visit));
    const { workflowId, nodes, plan } = seen;
    const [search = '', from, like] = ['q', 'from', 'like'].map((name) => visit.req.query(name));
    const view = { workflowId, nodes, plan, search, from, like };
    return show(visit, { title: `Nodes of ${titleOf(seen)}`, main: nodesPage(view) });
  });

  app.get('/runs/:run/nodes/:node', async (visit) => {
    const [workflowId, name] = [readRunView(visit), idOf(visit.req.param('node'))];
    const reasons = await performSent('why', plans, { workflowId, node: name });
    const { seen } = await watches.look(workflowId);
    const { plan, status, end } = seen;
    const isClosed = end !== undefined || status?.phase === 'closed';
    const content = await readContent(plans, workflowId, reasons.node?.result);
    const main = whyPage({ workflowId, name, reasons, plan, digest: status?.digest, isClosed, content });
    return show(visit, { title: `${name} of ${titleOf(seen)}`, main });
  });

  app.get('/runs/:run/effects', async (visit) => {
    const all = await performSent('effects', plans, { workflowId: readRunView(visit) });
    const { seen } = await watches.look(all.workflowId);
    const { roles } = seen.open.find(({ kind, digest }) => kind === 'approval' && digest === all.digest) ?? {};
    return show(visit, { title: `Effects of ${titleOf(seen)}`, main: effectsPage(all, roles) });
  });

  app.get('/runs/:run/trace', async (visit) => {
    const workflowId = readRunView(visit);
    const after = countOf(visit, 'after');
    const { entries, dropped } = await performSent('trace', plans, { workflowId, after, nodes: false });
    const visible = entries.slice(0, SHOWN.entries);
    const next = entries.length > visible.length ? visible.at(-1)?.seq : undefined;
    return show(visit, { title: 'What happened', main: tracePage(workflowId, visible, dropped, next) });
  });

  app.get('/runs/:run/rounds', async (visit) => {
    const { loop } = await performSent('trace', plans, {
      workflowId: readRunView(visit),
      rounds: true,
      last: SHOWN.rounds,
    });
    return show(visit, { title: 'Rounds', main: roundsPage(loop!) });
  });

  app.get('/runs/:run/result', async (visit) => {
    const workflowId = readRunView(visit);
    const result = await resultOf(visit, workflowId, 'json').catch(largeIn);
    const places = { from: countOf(visit, 'from'), sort: visit.req.query('sort') };
    return show(visit, { title: 'Result', main: resultPage({ workflowId, part: partOf(visit), result, ...places }) });
  });

  app.get('/runs/:run/:file{result\\.(?:bed|gff3|tsv|ids|json|txt|stored)}', async (visit) => {
    const workflowId = readRunView(visit);
    const format = visit.req.param('file').slice('result.'.length) as FileFormat;
    const { node, context } = partOf(visit);
    const name = [workflowId, context ?? node ?? 'result']
      .join('-')
      .replaceAll(/[^\w.-]/g, '_')
      .slice(-NAME);
    const headers = (isJson: boolean) => ({
      'Content-Type': isJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}.${format}${format === 'stored' ? '.json' : ''}"`,
    });
    if (format === 'stored') {
      const bytes = await storedOf(visit, workflowId);
      return visit.body(ReadableStream.from(piecesOf(bytes)), 200, {
        ...headers(true),
        'Cache-Control': 'no-store, no-transform',
        'Content-Length': `${bytes.length}`,
      });
    }
    const text = await fileText(visit, workflowId, format);
    return visit.body(format === 'tsv' ? forSpreadsheet(text) : text, 200, headers(format === 'json'));
  });

  app.get('/key', (visit) => show(visit, { title: 'Key', main: keyPage(nameOf(visit)) }));

  /** The stored bytes of a result. They stay in memory until the reader has received them or disconnects. */
  async function storedOf(visit: PageVisit, workflowId: string): Promise<Uint8Array> {
    if (takenAway >= LARGE_FILES)
      throw new AccessError(503, `${LARGE_FILES} large results are being taken away; try again when one has come`);
    takenAway += 1;
    visit.env.outgoing.once('close', () => (takenAway -= 1));
    const large = await resultOf(visit, workflowId, 'json', 0).then(() => undefined, largeIn);
    return oneRead(async () => (await plans.run(workflowId)).store.get(large!.ref));
  }

  async function fileText(visit: PageVisit, workflowId: string, format: Exclude<FileFormat, 'stored'>) {
    const read = (as: 'json' | typeof format) => resultOf(visit, workflowId, as === 'txt' ? 'json' : as);
    if (format !== 'tsv') {
      const result = await read(format);
      if (format !== 'json' && 'text' in result) return result.text;
      return JSON.stringify('value' in result ? result.value : result, null, 2);
    }
    try {
      const set = await read('tsv');
      return 'text' in set ? set.text : '';
    } catch (error) {
      // A list of objects can be shown as a table too, so this is tried next.
      if (!(error instanceof OperationError && error.code === 'USAGE')) throw error;
      const rows = tabSeparated(await read('json'));
      if (rows === undefined) throw error;
      return rows;
    }
  }

  async function resultOf(
    visit: PageVisit,
    workflowId: string,
    format: Exclude<FileFormat, 'txt' | 'stored'>,
    maxBytes = MAX_RESULT_BYTES,
  ) {
    const signal = timeoutSignal(RESULT_MS);
    const request = { workflowId, format, ...given({ ...partOf(visit) }) };
    try {
      return await performSent('result', plans, request, { signal, most: maxBytes });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new OperationError('TIMEOUT', `run ${workflowId} has no such result yet; its page tells when it has`);
    }
  }
}

/** The facts about a result that is too large, from the error that says so. @throws any other error */
function largeIn(error: unknown): Large {
  if (!(error instanceof OperationError && isRecord(error.details['large']))) throw error;
  return { ...(error.details['large'] as Omit<Large, 'message'>), message: error.message };
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

function partOf(visit: PageVisit): ResultPart {
  return { node: visit.req.query('node'), context: visit.req.query('context') };
}

const NAME = 100;

export function readRunView(visit: PageVisit): string {
  return idOf(visit.req.param('run') ?? '');
}

/** Checks that the server answers, since lists need it. @throws OperationError NO_SERVER */
async function needServer(plans: Plans): Promise<void> {
  const { answers, address } = await plans.session();
  if (await answers()) return;
  throw new OperationError(
    'NO_SERVER',
    `no Temporal server answers at ${address}; the runs are kept there, and go on when it is back`,
  );
}

function countOf(visit: PageVisit, name: string): number {
  const text = visit.req.query(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Identifies the contents of the inbox. A different text means different contents. */
function markOf(waits: Waits): string {
  return createHash('sha256').update(JSON.stringify(waits)).digest('base64url');
}
