/** Messages and start inputs as nobody should send them, as values and as bytes. */

import type { Client } from '@temporalio/client';

interface Payload {
  readonly metadata?: Readonly<Record<string, Uint8Array>>;
  readonly data?: Uint8Array;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const json = (text: string): Payload => ({ metadata: { encoding: utf8('json/plain') }, data: utf8(text) });
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join(',')}}`;

/** A token in form, signed with a key that nobody gave out, for another run. */
const FOREIGN_TOKEN = [
  { alg: 'EdDSA', kid: 'a stranger' },
  { run: 'another', kind: 'approve' },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('A'.repeat(86))
  .join('.');

/** By what is wrong: the arguments as they are on the wire. */
export const PAYLOADS: Readonly<Record<string, readonly Payload[]>> = {
  'no arguments': [],
  'an empty payload': [{}],
  'no JSON': [json('{"kind":')],
  'empty JSON': [json('')],
  'an unknown encoding': [{ metadata: { encoding: utf8('binary/encrypted') }, data: utf8('secret') }],
  'an encoding that is no text': [{ metadata: { encoding: Uint8Array.of(0xff, 0xfe) }, data: utf8('{}') }],
  'bytes that are no UTF-8': [
    json('{}'),
    { metadata: { encoding: utf8('json/plain') }, data: Uint8Array.of(0x22, 0xff, 0x22) },
  ],
  null: [json('null')],
  'a number': [json('1e400')],
  'a list': [json('[]')],
  'an empty object': [json('{}')],
  'every field of a wrong type': [
    json(
      '{"kind":{},"digest":[],"by":7,"action":null,"node":{},"question":[],"value":{"a":1},"plan":0,"options":"none","goal":[]}',
    ),
  ],
  'lone surrogates': [
    json(
      String.raw`{"kind":"\ud800","digest":"\udfff","by":"a\ud800","action":"\ud800","node":"node_\ud800","question":"\ud800","goal":"\ud800","plan":{"type":"task","task":"\ud800"},"options":{"\ud800":1}}`,
    ),
  ],
  'prototype keys': [
    json('{"__proto__":{"by":"x"},"constructor":{"prototype":{}},"by":"operator","goal":"g","plan":{"__proto__":1}}'),
  ],
  '2,000 levels': [json(deep(2000))],
  '50,000 levels': [json(deep(50_000))],
  '60,000 keys': [json(keys(60_000))],
  'a text of 1 MB': [json(JSON.stringify('x'.repeat(2 ** 20)))],
  'a name of 1 MB': [json(JSON.stringify({ kind: 'approve', digest: '0'.repeat(8), by: 'x'.repeat(2 ** 20) }))],
  'a foreign token': [json(JSON.stringify({ token: FOREIGN_TOKEN }))],
  'a thousand arguments': Array.from({ length: 1000 }, () => json('{}')),
};

export const SIGNAL_NAMES = ['approve', 'reject', 'decide', 'answer', 'control', 'unknown', '\u202e', 'x'.repeat(900)];
export const UPDATE_NAMES = ['approve', 'reject', 'decide', 'answer', 'control', 'unknown'];
/** What the SDK keeps for itself. */
export const RESERVED_NAMES = ['__temporal_anything', '__stack_trace', '__temporal_'];

/** Sends bytes as the arguments of a signal, past every converter. */
export async function signalRaw(client: Client, workflowId: string, signalName: string, payloads: readonly Payload[]) {
  const workflowExecution = { workflowId };
  const input = { payloads: [...payloads] };
  await client.workflowService.signalWorkflowExecution({ namespace: 'default', workflowExecution, signalName, input });
}

/** Waits until the update is answered, whatever the answer is. */
export async function updateRaw(client: Client, workflowId: string, name: string, payloads: readonly Payload[]) {
  const request = {
    namespace: 'default',
    workflowExecution: { workflowId },
    waitPolicy: { lifecycleStage: 3 },
    request: { meta: { identity: 'nobody' }, input: { name, args: { payloads: [...payloads] } } },
  };
  await client.connection.withDeadline(Date.now() + 20_000, () =>
    client.workflowService.updateWorkflowExecution(request),
  );
}

export async function startRaw(client: Client, taskQueue: string, workflowId: string, payloads: readonly Payload[]) {
  await client.workflowService.startWorkflowExecution({
    namespace: 'default',
    workflowId,
    workflowType: { name: 'planWorkflow' },
    taskQueue: { name: taskQueue },
    input: { payloads: [...payloads] },
    requestId: workflowId,
  });
}
