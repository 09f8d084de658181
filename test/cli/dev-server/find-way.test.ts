/** The order of the ways to a server, where it ends, and what a person is told whose way is closed. */

import { describe, expect, test } from 'vitest';
import { readOptions } from '../../../src/cli/dev-server/dev-server.ts';
import { findWay, type Machine, type Way } from '../../../src/cli/dev-server/find-way.ts';
import type { Found } from '../../../src/cli/dev-server/programs.ts';
import type { Answer } from '../../../src/cli/dev-server/server-answers.ts';

const answers: Answer = { ok: true };
const silent: Answer = { ok: false, kind: 'silent', reason: 'refused' };
const noNamespace: Answer = { ok: false, kind: 'no-namespace', reason: 'not found' };
const missing: Found = { ok: false, reason: 'missing' };
const at = (path: string): Found => ({ ok: true, path });

/** The machine that is asked, and its answers; by default there is nothing at all on it. */
interface Case {
  readonly address?: string;
  readonly named?: Answer;
  readonly local?: Answer;
  readonly reuse?: boolean;
  readonly cliPath?: string;
  readonly isProgram?: boolean;
  readonly onPath?: Found;
  readonly inCache?: Found;
  readonly download?: Found;
  readonly build?: Found;
  /** The question during which a person interrupts. */
  readonly interruptedAt?: string;
}

function find({ address = '', cliPath = '', reuse = true, ...has }: Case): { way: Promise<Way>; asked: string[] } {
  const asked: string[] = [];
  const stop = new AbortController();
  const ask = async <T>(name: string, answer: T): Promise<T> => {
    asked.push(name);
    if (name === has.interruptedAt) stop.abort(new Error('Ctrl-C'));
    return answer;
  };
  const machine: Machine = {
    namedServerAnswers: () => ask('named', has.named ?? silent),
    localServerAnswers: () => ask('local', has.local ?? silent),
    isProgram: () => ask('isProgram', has.isProgram ?? false),
    onPath: () => ask('onPath', has.onPath ?? missing),
    inCache: () => ask('inCache', has.inCache ?? missing),
    download: () => ask('download', has.download ?? missing),
    build: () => ask('build', has.build ?? missing),
  };
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_CLI_PATH: cliPath, TEMPORAL_NAMESPACE: 'orchard' };
  return { way: findWay(readOptions({ env, reuse, signal: stop.signal }), machine), asked };
}

const everything: Case = {
  address: 'far:7233',
  named: answers,
  local: answers,
  cliPath: '/cli',
  isProgram: true,
  onPath: at('/path'),
  inCache: at('/cache'),
  download: at('/download'),
  build: at('/build'),
};

function without(...keys: readonly (keyof Case)[]): Case {
  return Object.fromEntries(Object.entries(everything).filter(([key]) => !keys.includes(key as keyof Case)));
}

/** Each row takes away what the row before found: that is the order. */
const order: readonly [name: string, has: Case, way: Partial<Way>, asked: readonly string[]][] = [
  ['TEMPORAL_ADDRESS', everything, { kind: 'running', address: 'far:7233' }, ['named']],
  ['the default port', without('address'), { kind: 'running', address: '127.0.0.1:7233' }, ['local']],
  ['TEMPORAL_CLI_PATH', without('address', 'local'), { kind: 'cli', path: '/cli' }, ['local', 'isProgram']],
  ['PATH', without('address', 'local', 'cliPath'), { kind: 'cli', path: '/path' }, ['local', 'onPath']],
  [
    'the cache',
    without('address', 'local', 'cliPath', 'onPath'),
    { kind: 'cli', path: '/cache' },
    ['local', 'onPath', 'inCache'],
  ],
  [
    'the download',
    { download: at('/download'), build: at('/build') },
    { kind: 'cli', path: '/download' },
    ['local', 'onPath', 'inCache', 'download'],
  ],
  ['Go', { build: at('/build') }, { kind: 'cli', path: '/build' }, ['local', 'onPath', 'inCache', 'download', 'build']],
];

describe('the order of ways to a server', () => {
  test.each(order)('%s', async (_name, has, found, wanted) => {
    const { way, asked } = find(has);
    expect(await way).toMatchObject(found);
    expect(asked).toEqual(wanted);
  });

  test('with reuse off, the default port is not asked', async () => {
    const { way, asked } = find({ ...without('address'), reuse: false });
    expect(await way).toMatchObject({ kind: 'cli', path: '/cli' });
    expect(asked).not.toContain('local');
  });
});

/** What a person asked for by name is never replaced by something else. */
const refused: readonly [name: string, has: Case, code: string, says: readonly string[]][] = [
  [
    'a silent TEMPORAL_ADDRESS',
    { ...everything, named: silent },
    'unreachable',
    ['far:7233', 'refused', 'unset TEMPORAL_ADDRESS'],
  ],
  [
    'a TEMPORAL_ADDRESS without the namespace',
    { ...everything, named: noNamespace },
    'no-namespace',
    [
      '"orchard"',
      'not found',
      'temporal operator namespace create -n orchard --address far:7233',
      'TEMPORAL_NAMESPACE',
    ],
  ],
  [
    'a server on the default port without the namespace',
    { local: noNamespace },
    'no-namespace',
    ['temporal operator namespace create -n orchard --address 127.0.0.1:7233'],
  ],
  [
    'a TEMPORAL_CLI_PATH that is no program',
    { cliPath: '/no/cli', onPath: at('/path') },
    'cli-path',
    ['/no/cli', 'TEMPORAL_CLI_PATH'],
  ],
];

describe('a way that somebody named and that does not work ends the search', () => {
  test.each(refused)('%s', async (_name, has, code, says) => {
    await isRefused(find(has).way, code, says);
  });
});

test('when nothing worked, every way is listed with its reason, in order, and what would be enough', async () => {
  const { way, asked } = find({
    download: { ok: false, reason: 'offline' },
    build: { ok: false, reason: 'there is no `go` on PATH' },
  });
  const tried = [
    'TEMPORAL_ADDRESS: not set',
    'a server on 127.0.0.1:7233: refused',
    'TEMPORAL_CLI_PATH: not set',
    '`temporal` on PATH: missing',
    'the cache folder: missing',
    'the download of the Temporal SDK: offline',
    'building with Go: there is no `go` on PATH',
  ].map((line) => `\n  - ${line}`);
  const enough = ['set TEMPORAL_ADDRESS', 'https://docs.temporal.io/cli', 'set TEMPORAL_CLI_PATH'];
  await isRefused(way, 'no-server', [tried.join(''), ...enough, 'https://temporal.download', 'https://go.dev/dl']);
  expect(asked).toEqual(['local', 'onPath', 'inCache', 'download', 'build']);
});

test('a person who interrupts a way does not get the next one', async () => {
  const { way, asked } = find({ interruptedAt: 'download', build: at('/build') });
  await expect(way).rejects.toThrow('Ctrl-C');
  expect(asked.at(-1)).toBe('download');
});

async function isRefused(way: Promise<Way>, code: string, says: readonly string[]): Promise<void> {
  const error: unknown = await way.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'DevServerError', code });
  for (const part of says) expect((error as Error).message).toContain(part);
}
