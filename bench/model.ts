/**
 * What our code adds to a call of a model: the same request to the same local server by bare `fetch`, by our client, and
 * journaled. The server answers at once, in 50 pieces. Prints one JSON line with the medians in milliseconds.
 *
 *   npx tsx bench/model.ts [calls]
 */

import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { journaled, openAIClient, type ModelRequest } from '../src/models/index.ts';
import { createFileStore, resultsIn } from '../src/store/index.ts';
import { median } from './median.ts';

const CALLS = Number(process.argv[2] ?? 100);
const PIECES = 50;
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const piece = (content: string) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const ANSWER = [
  piece('{"plan":["a"'),
  ...Array.from({ length: PIECES }, () => piece(',"some more words"')),
  piece(']}'),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  event({ choices: [], usage: { prompt_tokens: 500, completion_tokens: 100 } }),
  'data: [DONE]\n\n',
].join('');

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const folder = await mkdtemp(join(tmpdir(), 'planwright-bench-'));
const store = resultsIn(createFileStore(folder), 'bench');
const model = openAIClient({ baseURL, name: 'fake', api: 'chat', format: 'json_schema' });
const format = {
  name: 'plan',
  schema: { type: 'object', properties: { plan: { type: 'array', items: { type: 'string' } } }, required: ['plan'] },
};
const requestOf = (index: number): ModelRequest => ({
  messages: [
    { role: 'system', content: 'Words that every call has. '.repeat(80) },
    { role: 'user', content: `Make plan ${index}.` },
  ],
  format,
});

async function bare(index: number): Promise<void> {
  const body = JSON.stringify({ model: 'fake', stream: true, ...requestOf(index) });
  const answer = await fetch(`${baseURL}/chat/completions`, { method: 'POST', body });
  await answer.text();
}

async function measure(call: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = -10; index < CALLS; index++) {
    const from = performance.now();
    await call(index);
    if (index >= 0) times.push(performance.now() - from);
  }
  return median(times);
}

const place = (index: number) => ({ key: `bench/step_1/plan/${index}`, store });
const fetchMs = await measure(bare);
const clientMs = await measure((index) => model.complete(requestOf(index)));
const journaledMs = await measure((index) => journaled(model, place(index), requestOf(index)));
const reusedMs = await measure((index) => journaled(model, place(index), requestOf(index)));
const round = (ms: number) => Math.round(ms * 100) / 100;
const times = {
  fetchMs,
  clientMs,
  journaledMs,
  reusedMs,
  addedMs: clientMs - fetchMs,
  addedJournaledMs: journaledMs - fetchMs,
};
const rounded = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, round(ms)]));
process.stdout.write(`${JSON.stringify({ case: 'model', calls: CALLS, pieces: PIECES, ...rounded })}\n`);
server.closeAllConnections();
server.close();
await rm(folder, { recursive: true });
