/** Updates are refused by the size of what came. */

import { afterEach, expect, test } from 'vitest';
import { interceptors } from '../../src/workflows/sdk/activations.ts';
import { payloadConverter } from '../../src/workflows/payload-converter.js';

/** Where the SDK keeps what is under way in its sandbox. */
const ACTIVATOR = '__TEMPORAL_ACTIVATOR__';

afterEach(() => void Reflect.deleteProperty(globalThis, ACTIVATOR));

const encoding = new TextEncoder().encode('json/plain');
/** No JSON at all: it would be told as such if anything looked inside. */
const raw = (bytes: number) => ({ metadata: { encoding }, data: new Uint8Array(bytes) });

test.each([
  ['at the bound', 256 * 1024, true, false],
  ['above it', 256 * 1024 + 1, true, true],
  ['of a megabyte', 2 ** 20, true, true],
  ['of a megabyte that was taken and is replayed', 2 ** 20, false, false],
])('an update %s', (_, bytes, runValidator, isRefused) => {
  Reflect.set(globalThis, ACTIVATOR, { info: { workflowType: 'planWorkflow' } });
  const update = { runValidator, input: [raw(bytes)] };
  const activate = interceptors().internals?.[0]?.activate;
  let seen = 0;
  activate?.({ activation: { jobs: [{ doUpdate: update }, {}] }, batchIndex: 0 }, () => void (seen += 1));
  const [payload] = update.input;
  expect(seen).toBe(1);
  if (!isRefused) expect(payload?.data).toHaveLength(bytes);
  else
    expect(payload && payloadConverter.fromPayload(payload)).toMatchObject({
      malformed: true,
      reason: expect.stringContaining(`at most 262144 bytes as JSON, this one ${bytes}`) as string,
    });
});

test('the workflows of others take what they like', () => {
  Reflect.set(globalThis, ACTIVATOR, { info: { workflowType: 'guest' } });
  expect(interceptors()).toEqual({});
});
