/**
 * A door to a small real model for the tests of `test/model`: the part of OpenAI's chat completions that they need, over
 * `node-llama-cpp`. It is no part of the product. Schemas and tools are kept by a grammar; one call at a time; the n-th
 * call is sampled with the seed SEED + n, so that the same calls in the same order get the same replies.
 *
 *   node scripts/model-door.mjs PACKAGES WEIGHTS [SEED]   prints the address when it listens, and serves until it is stopped
 */

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { schemaGrammar } from './schema-grammar.mjs';

/** Tokens: as many as SmolLM2 was made for. */
const CONTEXT = 8192;
const THREADS = 1;
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const [packages = '', weights = '', seed = '1'] = process.argv.slice(2);
const entry = createRequire(join(packages, 'package.json')).resolve('node-llama-cpp');
const { getLlama, LlamaCompletion, LlamaLogLevel } = await import(pathToFileURL(entry).href);
const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath: weights });
const context = await model.createContext({ contextSize: CONTEXT, threads: THREADS });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });
const grammars = new Map();
let calls = 0;
/** Resolves when the calls before have ended. */
let turn = Promise.resolve();

const server = createServer((request, response) => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answered = turn.then(() => answer(request, response, gone.signal));
  turn = answered.catch((error) => refuse(response, 500, String(error?.message ?? error)));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}/v1`);
});

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {AbortSignal} gone */
async function answer(request, response, gone) {
  if (gone.aborted) return;
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return refuse(response, 404, `there is no ${request.method} ${request.url}`);
  }
  const body = JSON.parse(await textOf(request));
  const tools = body.tools ?? [];
  const schema = body.response_format?.json_schema?.schema ?? (tools.length > 0 ? callOf(tools) : undefined);
  const prompt = model.tokenize(promptOf(body.messages, tools), true);
  const room = CONTEXT - prompt.length;
  if (room < 1) {
    const message = `the request has ${prompt.length} tokens; the context of this model has ${CONTEXT}`;
    return refuse(response, 400, message, 'context_length_exceeded');
  }
  calls += 1;
  let written = 0;
  const isCalled = tools.length > 0;
  /** @param {object} delta @param {string | null} finish */
  const tell = (delta, finish = null) =>
    event(response, { choices: [{ index: 0, delta, finish_reason: finish }], model: 'SmolLM2-135M' });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { response: text, metadata } = await completion.generateCompletionWithMeta(prompt, {
    ...(schema !== undefined && { grammar: await grammarOf(schema) }),
    maxTokens: Math.min(body.max_tokens ?? room, room),
    temperature: body.temperature ?? 0,
    seed: body.seed ?? Number(seed) + calls,
    signal: gone,
    stopOnAbortSignal: true,
    disableContextShift: true,
    onToken: (/** @type {readonly unknown[]} */ tokens) => (written += tokens.length),
    onTextChunk: (/** @type {string} */ content) => isCalled || tell({ content }),
  });
  const isWhole = metadata.stopReason !== 'maxTokens';
  if (isCalled && isWhole) {
    const { name, arguments: given } = JSON.parse(text);
    tell({ tool_calls: [{ index: 0, id: `call_${calls}`, function: { name, arguments: JSON.stringify(given) } }] });
  } else if (isCalled) tell({ content: text });
  tell({}, isWhole ? (isCalled ? 'tool_calls' : 'stop') : 'length');
  const usage = { prompt_tokens: prompt.length, completion_tokens: written };
  event(response, { choices: [], usage });
  response.end('data: [DONE]\n\n');
}

/** @param {readonly { readonly function: { readonly name: string, readonly parameters: unknown } }[]} tools */
function callOf(tools) {
  const anyOf = tools.map(({ function: { name, parameters } }) => ({
    ...{ type: 'object', properties: { name: { const: name }, arguments: parameters } },
    required: ['name', 'arguments'],
  }));
  return { anyOf };
}

/** @param {unknown} schema */
async function grammarOf(schema) {
  const grammar = schemaGrammar(schema);
  if (!grammars.has(grammar)) grammars.set(grammar, await llama.createGrammar({ grammar }));
  return grammars.get(grammar);
}

/** ChatML, by which the model was trained. @param {readonly any[]} messages @param {readonly object[]} tools */
function promptOf(messages, tools) {
  const said = messages.map(({ role, content, tool_calls: called = [] }) => {
    const calls = called.map((/** @type {any} */ one) => JSON.stringify(one.function));
    return `<|im_start|>${role === 'tool' ? 'user' : role}\n${[content ?? '', ...calls].join('\n')}<|im_end|>\n`;
  });
  const offered = tools.map((tool) => JSON.stringify(tool)).join('\n');
  const [first = '', ...rest] = said;
  const told = offered === '' ? first : first.replace('<|im_end|>', () => `\n\nTools:\n${offered}<|im_end|>`);
  return `${[told, ...rest].join('')}<|im_start|>assistant\n`;
}

/** @param {import('node:http').IncomingMessage} request */
async function textOf(request) {
  const parts = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`the request has more than ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** @param {import('node:http').ServerResponse} response @param {object} piece */
function event(response, piece) {
  response.write(`data: ${JSON.stringify(piece)}\n\n`);
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} message @param {string} [code] */
function refuse(response, status, message, code) {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, code } }));
}
