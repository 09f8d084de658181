/** Serves the page on this machine only, unless people must authenticate. */

import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { isIPv6 } from 'node:net';
import { OperationError, type Plans, issuesOf, toOperationError } from '../operations/index.ts';
import { type Entrance, createAccess, AccessError, type Env, type PageVisit } from './access.ts';
import { startHttp } from './http-server.ts';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { isName } from '../protocol/identity/index.ts';
import { createContents } from './contents.ts';
import { createInbox, hasPlanner } from './inbox.ts';
import { httpStatusOf, type Page, type Status } from './page.ts';
import { addReading } from './routes/reading.ts';
import { addSaying, MAX_FORM_TEXT } from './routes/saying.ts';
import { addStarting } from './routes/starting.ts';
import { FORM_TOKEN, frame, type Frame } from './view/layout.ts';
import { runParts } from './view/run.ts';
import { problemPage } from './view/short-pages.ts';
import { createWatches } from './watch.ts';

interface AppOptions {
  readonly plans: Plans;
  readonly entrance: Entrance;
}

/** Maximum bytes of a form, without and with a document. URL encoding may triple each byte. */
const BODY = { short: 65_536, long: 3 * MAX_FORM_TEXT + 65_536 };
const LONG = /^\/(?:new|new\/start|say|runs\/[^/]+\/edit)$/;

const require = createRequire(import.meta.url);
const SCRIPT = 'text/javascript; charset=utf-8';
/** The files of the page: the name in its address, the type, and the path. */
const FILES = [
  ['page.css', 'text/css; charset=utf-8', require.resolve('./assets/page.css')],
  ['page.js', SCRIPT, require.resolve('./assets/page.js')],
  ['icon.svg', 'image/svg+xml', require.resolve('./assets/icon.svg')],
  ['idiomorph.js', SCRIPT, require.resolve('idiomorph/dist/idiomorph.min.js')],
] as const;

/** Line numbers beside the text of a document, in the height of its lines. */
const LINE_NUMBERS = `<svg xmlns="http://www.w3.org/2000/svg" width="44" height="40000" font-family="monospace" font-size="12" text-anchor="end" fill="#7a8594">${Array.from({ length: 2000 }, (_, at) => `<text x="40" y="${20 * at + 14}">${at + 1}</text>`).join('')}</svg>`;

export function createApp({ plans, entrance }: AppOptions) {
  const access = createAccess(entrance);
  const files: (readonly [name: string, type: string, text: string])[] = FILES.map(([name, type, path]) => [
    name,
    type,
    readFileSync(path, 'utf8'),
  ]);
  files.push(['lines.svg', 'image/svg+xml', LINE_NUMBERS]);
  const { typed } = plans;
  const contentsOf = createContents(plans);
  const watches = createWatches(plans, async (seen) =>
    runParts(seen, typed, await hasPlanner(plans), await contentsOf(seen)),
  );
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
  // Compression lengths reveal no token: cookies are SameSite=Strict, so a request from another site gets another token.
  app.use(compress());
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

export interface ServeOptions {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly token?: string | undefined;
  readonly proxy?: Entrance['proxy'];
}

export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

const DEFAULT_PORT = 7280;
/** Maximum duration of a request and of idle connections, in ms, and maximum number of open connections. */
const BOUNDS = { requestMs: 30_000, idleMs: 60_000, connections: 2000 };
/** A shorter token could be guessed. */
const TOKEN_CHARACTERS = 32;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;
/** Addresses that browsers use for every name below localhost. */
const LOCALHOST = /^(?:127\.0\.0\.1|::1|localhost)$/;

/**
 * Serves the page until the caller closes it.
 * @throws OperationError USAGE for an address of other machines without a token or a proxy, PORT_IN_USE; and as
 * `plans.session`
 */
export async function servePage(plans: Plans, options: ServeOptions): Promise<ServedPage> {
  const { port = DEFAULT_PORT, host = '127.0.0.1' } = options;
  check(options);
  // Connects first, since a page without a server could show nothing.
  await plans.session();
  const server = await startHttp({ ...BOUNDS, host, port, flag: '--port' });
  const entrance = entranceOf(host, server.port, options);
  const { app, close } = createApp({ plans, entrance });
  server.answer(app.fetch);
  return {
    url: entrance.origins[0]!,
    async close() {
      close();
      await server.close();
    },
  };
}

function check({ host = '127.0.0.1', origin, token, proxy }: ServeOptions): void {
  if (token !== undefined && token.length < TOKEN_CHARACTERS) {
    throw new OperationError(
      'INPUT_INVALID',
      `the token has ${token.length} characters; expected at least ${TOKEN_CHARACTERS}, such as those of \`openssl rand -hex 32\``,
    );
  }
  if (token !== undefined && origin === undefined && LOOPBACK.test(host) && !LOCALHOST.test(host)) {
    throw new OperationError(
      'USAGE',
      `--host ${host} with --token: browsers look for the page's own name below localhost at 127.0.0.1 and ::1; leave ` +
        '--host out, or name an address with --origin',
    );
  }
  if (
    origin !== undefined &&
    !(URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && new URL(origin).origin === origin)
  ) {
    throw new OperationError(
      'USAGE',
      `--origin: expected an address such as https://plans.example.org, without a path, got ${origin}`,
    );
  }
  if (LOOPBACK.test(host) || token !== undefined || proxy !== undefined) return;
  throw new OperationError(
    'USAGE',
    `--host ${host} lets others than this machine come in, and nobody would be asked who they are: add --token FILE, or ` +
      '--proxy-header NAME with --proxy-address IP for a proxy that knows people; or leave --host out',
  );
}

/**
 * The origin with the session cookie. A page on this machine has three names, whose cookies reach every other server on
 * the machine. So with a token the page uses a name that no other server has.
 */
function entranceOf(host: string, port: number, { origin, token, proxy }: ServeOptions): Entrance {
  const originOf = (name: string) => new URL(`http://${isIPv6(name) ? `[${name}]` : name}:${port}`).origin;
  const isLocal = LOOPBACK.test(host);
  const named = isLocal
    ? [...new Set([originOf(host), ...['127.0.0.1', 'localhost', '::1'].map(originOf)])]
    : [originOf(host)];
  if (origin === undefined) {
    const inside =
      token !== undefined && isLocal ? originOf(`${randomBytes(16).toString('hex')}.localhost`) : undefined;
    return { origins: named, token, inside, proxy };
  }
  return { origins: token === undefined ? [...new Set([origin, ...named])] : [origin], token, proxy };
}
