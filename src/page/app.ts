/** The page as an application: its routes, and the one place where errors end. */

import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { etag } from 'hono/etag';
import { issuesOf, toOperationError, type Plans } from '../operations/index.ts';
import { isName } from '../protocol/identity/index.ts';
import { createAccess, AccessError, type Entrance, type Env, type PageVisit } from './access.ts';
import { createInbox, hasPlanner } from './inbox.ts';
import { httpStatusOf, type Page, type Status } from './page.ts';
import { addReading } from './routes/reading.ts';
import { addSaying, MAX_FORM_TEXT } from './routes/saying.ts';
import { addStarting } from './routes/starting.ts';
import { FORM_TOKEN, frame, type Frame } from './view/layout.ts';
import { runParts } from './view/run.ts';
import { problemPage } from './view/short-pages.ts';
import { createWatches } from './watch.ts';

export interface AppOptions {
  readonly plans: Plans;
  readonly entrance: Entrance;
}

/** Bytes of a form, without and with a document. URL encoding may triple each byte. */
const BODY = { short: 65_536, long: 3 * MAX_FORM_TEXT + 65_536 };
const LONG = /^\/(?:new|new\/start|say|runs\/[^/]+\/edit)$/;

const FILES = [
  ['page.css', 'text/css; charset=utf-8'],
  ['page.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
] as const;

export function createApp({ plans, entrance }: AppOptions) {
  const access = createAccess(entrance);
  const files = FILES.map(
    ([name, type]) => [name, type, readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')] as const,
  );
  const { typed } = plans;
  const watches = createWatches(plans, async (seen) => runParts(seen, typed, await hasPlanner(plans)));
  const inbox = createInbox(plans);

  const page: Page = { plans, access, watches, inbox, show, nameOf };

  function nameOf(visit: PageVisit): string | undefined {
    const name = visit.get('person') ?? access.remembered(visit, 'name');
    return isName(name) ? name : undefined;
  }

  function show(visit: PageVisit, content: Frame, status: Status = 200) {
    const isNamed = visit.get('person') !== undefined;
    const reader = { name: nameOf(visit), isNamed, reply: access.takeReply(visit), path: visit.req.path };
    return visit.html(String(frame(content, reader)).replaceAll(FORM_TOKEN, access.formToken(visit)), status);
  }

  const app = new Hono<Env>();
  app.use(access.enter);
  app.use((visit, next) =>
    bodyLimit({ maxSize: LONG.test(visit.req.path) ? BODY.long : BODY.short, onError: tooLong })(visit, next),
  );
  for (const [name, type, text] of files) {
    // Browsers revalidate the file.
    const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache' };
    app.get(`/${name}`, etag(), (visit) => visit.body(text, 200, headers));
  }
  addReading(app, page);
  addSaying(app, page);
  addStarting(app, page);
  const NOT_HERE = problemPage({ code: 'NOT_FOUND', message: 'There is no such page.' });
  app.notFound((visit) => show(visit, { title: 'Not here', main: NOT_HERE }, 404));
  app.onError((error, visit) => {
    const title = 'It could not be done';
    if (error instanceof AccessError) {
      return show(visit, { title, main: problemPage({ code: 'DOOR', message: error.message }) }, error.status);
    }
    const failure = toOperationError(error, typed);
    const main = problemPage({ code: failure.code, message: failure.message, issues: issuesOf(failure) });
    return show(visit, { title, main }, httpStatusOf(failure.code));
  });

  return { app, close: () => watches.close() };
}

function tooLong(): never {
  throw new AccessError(
    413,
    `the form is too long: expected at most ${BODY.short} bytes, or a document of at most ${MAX_FORM_TEXT} bytes; nothing was sent`,
  );
}
