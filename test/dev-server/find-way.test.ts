/** The order of the ways to a server, and where it ends. */

import { describe, expect, test } from 'vitest';
import { findWay, type Found, type Probe, type Way } from '../../src/edge/dev-server/find-way.ts';
import type { Answer } from '../../src/edge/dev-server/server-answers.ts';

const answers: Answer = { ok: true };
const silent: Answer = { ok: false, kind: 'silent', reason: 'refused' };
const noNamespace: Answer = { ok: false, kind: 'no-namespace', reason: 'not found' };
const missing: Found = { ok: false, reason: 'missing' };
const at = (path: string): Found => ({ ok: true, path });

/** What a machine answers; by default there is nothing at all on it. */
interface Machine {
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
}

function probeOf(machine: Machine): { probe: Probe; asked: string[] } {
  const asked: string[] = [];
  const ask = async <T>(name: string, answer: T): Promise<T> => {
    asked.push(name);
    return answer;
  };
  const probe: Probe = {
    address: machine.address,
    reuse: machine.reuse ?? true,
    cliPath: machine.cliPath,
    namedServerAnswers: () => ask('named', machine.named ?? silent),
    localServerAnswers: () => ask('local', machine.local ?? silent),
    isProgram: () => ask('isProgram', machine.isProgram ?? false),
    onPath: () => ask('onPath', machine.onPath ?? missing),
    inCache: () => ask('inCache', machine.inCache ?? missing),
    download: () => ask('download', machine.download ?? missing),
    build: () => ask('build', machine.build ?? missing),
  };
  return { probe, asked };
}

const everything: Machine = {
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

function without(...keys: readonly (keyof Machine)[]): Machine {
  return Object.fromEntries(Object.entries(everything).filter(([key]) => !keys.includes(key as keyof Machine)));
}

/** Each row takes away what the row before found: that is the order. */
const order: readonly [name: string, machine: Machine, way: Partial<Way>, asked: readonly string[]][] = [
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
  ['nothing', {}, { kind: 'none' }, ['local', 'onPath', 'inCache', 'download', 'build']],
];

describe('the order of ways to a server', () => {
  test.each(order)('%s', async (_name, machine, way, asked) => {
    const { probe, asked: really } = probeOf(machine);
    expect(await findWay(probe)).toMatchObject(way);
    expect(really).toEqual(asked);
  });
});

/** What a person asked for by name is never replaced by something else. */
const refused: readonly [name: string, machine: Machine, way: Partial<Way>][] = [
  ['a silent TEMPORAL_ADDRESS', { ...everything, named: silent }, { kind: 'unreachable', address: 'far:7233' }],
  ['a TEMPORAL_ADDRESS without the namespace', { ...everything, named: noNamespace }, { kind: 'no-namespace' }],
  ['a server on the default port without the namespace', { local: noNamespace }, { kind: 'no-namespace' }],
  ['a TEMPORAL_CLI_PATH that is no program', { cliPath: '/cli', onPath: at('/path') }, { kind: 'cli-path' }],
];

describe('a way that somebody named and that does not work ends the search', () => {
  test.each(refused)('%s', async (_name, machine, way) => {
    expect(await findWay(probeOf(machine).probe)).toMatchObject(way);
  });
});

test('with reuse off, the default port is not asked', async () => {
  const { probe, asked } = probeOf({ ...without('address'), reuse: false });
  expect(await findWay(probe)).toMatchObject({ kind: 'cli', path: '/cli' });
  expect(asked).not.toContain('local');
});

test('when nothing worked, every way is listed with its reason, in order', async () => {
  const { probe } = probeOf({ download: { ok: false, reason: 'offline' }, build: { ok: false, reason: 'no go' } });
  const way = await findWay(probe);
  expect(way.kind === 'none' ? way.failed : []).toEqual([
    { way: 'TEMPORAL_ADDRESS', reason: 'not set' },
    { way: 'a server on 127.0.0.1:7233', reason: 'refused' },
    { way: 'TEMPORAL_CLI_PATH', reason: 'not set' },
    { way: '`temporal` on PATH', reason: 'missing' },
    { way: 'the cache folder', reason: 'missing' },
    { way: 'the download of the Temporal SDK', reason: 'offline' },
    { way: 'building with Go', reason: 'no go' },
  ]);
});
