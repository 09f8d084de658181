/**
 * A double of a model server for loops: it says what its script has, as chat completions have it, and refuses a request that
 * breaks the protocol as OpenAI's servers do. Its last line is repeated for ever.
 */

import { openAIClient, type ModelClient } from '../../src/models/index.ts';
import { chatDelta, chatEvents, startModelServer, type Answer, type Asked } from './model-server.ts';

/** A text, or calls of tools with their arguments. */
export type Said = string | readonly (readonly [name: string, args: object | string])[];

export interface LoopServer {
  readonly client: ModelClient;
  /** The bodies of the requests that keep to the protocol. */
  readonly asked: readonly Asked['body'][];
}

export async function startLoopServer(script: readonly Said[]): Promise<LoopServer> {
  const asked: Asked['body'][] = [];
  const server = await startModelServer(({ body }) => {
    const fault = faultIn(body);
    if (fault !== undefined) return { status: 400, body: { error: { message: fault, type: 'invalid_request_error' } } };
    asked.push(body);
    // The failure of a run is worded by a call without tools.
    if (body['tools'] === undefined) return { events: chatEvents(['It failed.']) };
    return answerOf(script[Math.min(asked.length, script.length) - 1] ?? '');
  });
  return { asked, client: openAIClient({ baseURL: server.baseURL, name: 'tiny', api: 'chat', format: 'none' }) };
}

function answerOf(said: Said): Answer {
  if (typeof said === 'string') return { events: chatEvents([said]) };
  const calls = said.map(([name, args], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  return { events: [chatDelta({ tool_calls: calls }), ...chatEvents([], 'tool_calls')] };
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
}

/** OpenAI: every call is answered right behind the message that makes it, and nothing else is. */
function faultIn({ messages, tools = [] }: Asked['body']): string | undefined {
  let open: string[] = [];
  for (const [at, { role, tool_calls: calls = [], tool_call_id: of }] of (messages as readonly Message[]).entries()) {
    if (role === 'tool') {
      if (of === undefined || !open.includes(of)) return `messages[${at}]: no call has the id ${of}`;
      open = open.filter((id) => id !== of);
      continue;
    }
    if (open.length > 0) return `messages[${at}]: the calls ${open.join(', ')} have no answer`;
    open = calls.map(({ id }) => id);
    if (new Set(open).size < open.length) return `messages[${at}]: two calls have one id`;
    if (open.some((id) => !/^[\w-]{1,40}$/.test(id))) return `messages[${at}]: an id is none`;
  }
  const names = (tools as readonly { readonly function: { readonly name: string } }[]).map((one) => one.function.name);
  if (names.some((name) => !/^[\w-]{1,64}$/.test(name))) return 'tools: a name is none';
  return open.length > 0 ? `the calls ${open.join(', ')} have no answer` : undefined;
}
