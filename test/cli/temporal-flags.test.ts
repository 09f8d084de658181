/** The flags of the Temporal CLI, and the variables that they stand for. */

import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addTemporalFlags, applyTemporalFlags, plainFlags } from '../../src/cli/global-flags.ts';

function environmentAfter(typed: readonly string[], before: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const program = new Command();
  addTemporalFlags(program);
  program.parse(plainFlags(typed), { from: 'user' });
  const environment = { ...before };
  applyTemporalFlags(program, environment);
  return environment;
}

test.each([
  [
    ['--address', 'temporal:7233', '-n', 'science'],
    { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'science' },
  ],
  [['--tls'], { TEMPORAL_TLS: 'true' }],
  [['--tls=true'], { TEMPORAL_TLS: 'true' }],
  [['--tls=false'], { TEMPORAL_TLS: 'false' }],
  [['--tls-ca-path=ca.pem'], { TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'ca.pem' }],
  [
    ['--disable-config-file=false', '--tls-disable-host-verification=true'],
    { TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' },
  ],
  [
    ['--grpc-meta', 'tenant=a=b', '--grpc-meta', 'empty'],
    { TEMPORAL_GRPC_META_tenant: 'a=b', TEMPORAL_GRPC_META_empty: '' },
  ],
  [['--log-level', 'debug', '--codec-auth', 'x'], {}],
])('%j stands for %j', (typed, expected) => {
  expect(environmentAfter(typed)).toEqual(expected);
});

test('a flag goes before its variable, and what is not typed leaves the environment alone', () => {
  const before = { TEMPORAL_ADDRESS: 'old:7233', TEMPORAL_TLS: 'true' };
  expect(environmentAfter(['--address', 'new:7233'], before)).toEqual({
    TEMPORAL_ADDRESS: 'new:7233',
    TEMPORAL_TLS: 'true',
  });
});
