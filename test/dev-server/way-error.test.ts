/** What a person is told whose way to a server is closed. */

import { expect, test } from 'vitest';
import { type NoWay, wayError } from '../../src/edge/dev-server/way-error.ts';

const failed = [
  { way: '`temporal` on PATH', reason: 'not there' },
  { way: 'building with Go', reason: 'there is no `go` on PATH' },
];

const cases: readonly [NoWay, code: string, says: readonly string[]][] = [
  [
    { kind: 'unreachable', address: 'far:7233', reason: 'refused' },
    'unreachable',
    ['far:7233', 'refused', 'unset TEMPORAL_ADDRESS'],
  ],
  [
    { kind: 'no-namespace', address: 'far:7233', reason: 'not found' },
    'no-namespace',
    ['"orchard"', 'temporal operator namespace create -n orchard --address far:7233', 'TEMPORAL_NAMESPACE'],
  ],
  [{ kind: 'cli-path', path: '/no/cli' }, 'cli-path', ['/no/cli', 'TEMPORAL_CLI_PATH']],
  [
    { kind: 'none', failed },
    'no-server',
    [
      ...failed.map(({ way, reason }) => `${way}: ${reason}`),
      'TEMPORAL_ADDRESS',
      'https://docs.temporal.io/cli',
      'TEMPORAL_CLI_PATH',
      'https://temporal.download',
      'https://go.dev/dl',
    ],
  ],
];

test.each(cases)('%o', (way, code, says) => {
  const error = wayError(way, 'orchard');
  expect(error.code).toBe(code);
  for (const part of says) expect(error.message).toContain(part);
});
