/** The body of an answer as text: of an allowed type and length, decoded. */

import type { IncomingMessage } from 'node:http';
import { listNames, quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';

export interface BodyBounds {
  readonly maxBytes: number;
  readonly types: readonly string[];
}

export interface PageText {
  readonly text: string;
  readonly type: string;
  readonly bytes: number;
}

/** Characters in which a page may declare its encoding, if its server does not. */
const HEAD = 1024;

/** @throws CapabilityError `REPLANNING` if it does not fit, and errors of the connection */
export async function readBody(answer: IncomingMessage, { maxBytes, types }: BodyBounds): Promise<PageText> {
  const [type = '', ...parameters] = (answer.headers['content-type'] ?? '').split(';').map((one) => one.trim());
  const kind = type.toLowerCase();
  if (!types.some((one) => one === kind || (one.endsWith('/*') && kind.startsWith(one.slice(0, -1))))) {
    throw misfit(`the page is of the type ${quote(type)}; allowed are ${listNames(types)}`);
  }
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw misfit(`the page is compressed (${quote(encoding)}), which was not asked for`);
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLong(maxBytes);
  const bytes = await readBytes(answer, maxBytes);
  const charset = parameters.map((one) => /^charset="?([^"]*)"?$/i.exec(one)?.[1]).find((one) => one !== undefined);
  return { text: decoded(bytes, charset, kind), type: kind, bytes: bytes.length };
}

async function readBytes(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Buffer, charset: string | undefined, kind: string): string {
  const head = kind.includes('html') ? bytes.subarray(0, HEAD).toString('latin1') : '';
  const label = charset ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    throw misfit(`the page is written in ${quote(label)}, which is not known`);
  }
}

function tooLong(maxBytes: number): CapabilityError {
  return misfit(
    `the page has more than ${maxBytes} bytes; raise maxBytes of fetchPage in the config, or read another one`,
  );
}

export function misfit(message: string): CapabilityError {
  return new CapabilityError('REPLANNING', `fetchPage: ${message}`);
}
