/** A server of the protocol of S3 that does not keep what it promises: what a test tells it to do instead. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { testHttpServer } from './http-server.ts';

/** An answer in place of the right one. */
export interface Instead {
  readonly status: number;
  readonly code: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FalseS3 {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** The signatures of requests, with the names of their keys, in order. */
  readonly seenKeys: string[];
  /** What it answers to requests of a method, such as `PUT`, until it is told otherwise; undefined: the right thing. */
  answers(method: string, instead: Instead | undefined): void;
  /** Says that it has taken what it forgets at once. */
  forgets: boolean;
  /** Overlooks `If-None-Match`. */
  overlooks: boolean;
}

export async function startFalseS3(): Promise<FalseS3> {
  const instead = new Map<string, Instead>();
  const { url: endpoint } = await testHttpServer((request, response) => void answer(request, response));
  const told: FalseS3 = {
    endpoint,
    objects: new Map(),
    seenKeys: [],
    answers: (method, one) => void (one === undefined ? instead.delete(method) : instead.set(method, one)),
    forgets: false,
    overlooks: false,
  };
  return told;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, told.endpoint);
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'));
    told.seenKeys.push(request.headers.authorization ?? '');
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const other = instead.get(method);
    if (other !== undefined) return refuse(response, other);
    if (method === 'PUT') {
      const isTaken = request.headers['if-none-match'] === '*' && told.objects.has(key) && !told.overlooks;
      if (isTaken) return refuse(response, { status: 412, code: 'PreconditionFailed' });
      if (!told.forgets) told.objects.set(key, Buffer.concat(pieces));
      return void response.writeHead(200, { etag: '"x"' }).end();
    }
    if (searchParams.get('list-type') === '2') return list(response, searchParams.get('prefix') ?? '');
    const bytes = told.objects.get(key);
    if (bytes === undefined) return refuse(response, { status: 404, code: 'NoSuchKey' });
    return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  }

  function list(response: ServerResponse, prefix: string): void {
    const keys = [...told.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');
    response.writeHead(200).end(`<ListBucketResult>${contents}</ListBucketResult>`);
  }
}

function refuse(response: ServerResponse, { status, code, message = code, headers = {} }: Instead): void {
  response.writeHead(status, headers).end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}
