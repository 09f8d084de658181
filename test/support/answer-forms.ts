/** The answers of model servers, in the forms in which they write them: a text, or the call of a tool. */

import { chatDelta, type Answer } from './model-server.ts';

export interface Said {
  readonly text: string;
  readonly call: boolean;
}

interface Form {
  readonly usage?: object | null;
  readonly finish?: string;
  /** Pieces before the first. */
  readonly before?: readonly unknown[];
  /** The pieces of the call `find` with the arguments `{"x":1}`. */
  readonly call?: readonly object[];
  readonly callFinish?: string;
  readonly last?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes an event. */
  readonly event?: (piece: unknown) => string;
}

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const CALL = [
  { index: 0, id: 'a', function: { name: 'find', arguments: '' } },
  { index: 0, function: { arguments: '{"x"' } },
  { index: 0, function: { arguments: ':1}' } },
];

/** The events of chat completions in this form. */
export function chat({
  usage = USAGE,
  finish = 'stop',
  before = [],
  call = CALL,
  callFinish = 'tool_calls',
  ...form
}: Form = {}) {
  const { last = {}, headers, event = (piece) => `data: ${JSON.stringify(piece)}\n\n` } = form;
  return ({ text, call: isCall }: Said): Answer => {
    const said = isCall
      ? [...call.map((one) => chatDelta({ tool_calls: [one] })), chatDelta({}, callFinish)]
      : [chatDelta({ role: 'assistant', content: text.slice(0, 3) }), chatDelta({ content: text.slice(3) }, finish)];
    const end = { id: 'c', model: 'served', choices: [], ...(usage !== null && { usage }), ...last };
    const pieces = [...before, ...said, end].map((piece) => (typeof piece === 'string' ? piece : event(piece)));
    return { events: [...pieces, 'data: [DONE]\n\n'], ...(headers !== undefined && { headers }) };
  };
}

/** A whole answer, to a request that asked for a stream. */
export function whole(usage: object) {
  return ({ text, call }: Said): Answer => ({
    body: {
      ...{ id: 'c', object: 'chat.completion', model: 'served', usage },
      choices: [
        {
          index: 0,
          finish_reason: call ? 'tool_calls' : 'stop',
          message: call
            ? {
                content: null,
                tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{"x":1}' } }],
              }
            : { content: text },
        },
      ],
    },
  });
}
