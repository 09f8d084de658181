/** Addresses as they are typed for what a worker answers on. */

import { expect, test } from 'vitest';
import { addressText, readAddress } from '../../src/cli/working/watch.ts';

test.each([
  ['9464', '127.0.0.1:9464'],
  [':9464', '127.0.0.1:9464'],
  [' localhost:9464 ', '127.0.0.1:9464'],
  ['127.0.0.1:9464', '127.0.0.1:9464'],
  ['0.0.0.0:65535', '0.0.0.0:65535'],
  ['[::1]:9464', '[::1]:9464'],
  ['[::]:9464', '[::]:9464'],
])('%j is %s', (typed, address) => {
  expect(addressText(readAddress(typed, '--metrics'))).toBe(address);
});

test.each(['', '0', '65536', '127.0.0.1', 'example.org:9464', '*:9464', '1.2.3:9464', '9464/metrics', '-1'])(
  '%j is refused with what is expected',
  (typed) => {
    expect(() => readAddress(typed, '--health')).toThrow(
      /^--health: expected a port, such as 9464, .*this machine only$/,
    );
  },
);
