/** What reaches a receiver, and what a receiver can do to a worker. */

import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkConfig } from '../../../src/config/index.ts';
import { openReceivers } from '../../../src/config/notify/index.ts';
import type { ReceiverSettings } from '../../../src/config/notify/schema.ts';
import { testFolder } from '../../support/folders.ts';
import { isSigned, openReceiver } from './receiving.ts';

const SECRET = 'a-secret-that-nobody-sees';
const going = () => new AbortController().signal;
const BODY = JSON.stringify({ id: 'one' });

function receiverOf(
  entry: Partial<ReceiverSettings>,
  environment: NodeJS.ProcessEnv = {},
  folder = '.',
  sendMs?: number,
) {
  return openReceivers([{ name: 'ops', ...entry }], folder, environment, sendMs)[0]!;
}

const failureOf = (sent: Promise<void>) =>
  sent.then(
    () => 'sent',
    (error: unknown) => (error as Error).message,
  );

describe('a config', () => {
  const url = 'https://example.org/hook';
  test.each<[string, unknown, RegExp]>([
    ['no list', { url }, /config\.notify: expected a list/],
    ['no name', [{ url }], /config\.notify\.0\.name: expected a name/],
    ['a name that is a path', [{ name: '../ops', url }], /notify\.0\.name: expected a name/],
    [
      'two entries with one name',
      [
        { name: 'ops', url },
        { name: 'ops', url },
      ],
      /notify\.1\.name: two entries have the name ops/,
    ],
    ['neither url nor command', [{ name: 'ops' }], /notify\.0: expected a url or a command/],
    ['both', [{ name: 'ops', url, command: ['true'] }], /notify\.0: expected a url or a command/],
    ['a secret for a command', [{ name: 'ops', command: ['true'], secret: { env: 'S' } }], /a secret belongs to a url/],
    ['a secret in clear', [{ name: 'ops', url, secret: SECRET }], /notify\.0\.secret: expected the variable/],
    ['a scheme that is none', [{ name: 'ops', url: 'file:///etc/passwd' }], /notify\.0\.url: expected http/],
    ['javascript', [{ name: 'ops', url: 'javascript:alert(1)' }], /notify\.0\.url: expected http/],
    ['a user in the address', [{ name: 'ops', url: 'https://me:pw@example.org/' }], /notify\.0\.url: expected http/],
    ['a query in the address', [{ name: 'ops', url: 'https://example.org/?sig=1' }], /notify\.0\.url: expected http/],
    ['a command line', [{ name: 'ops', command: 'mail ops' }], /notify\.0\.command: expected a program/],
    ['a command without a program', [{ name: 'ops', command: [] }], /notify\.0\.command: expected a program/],
    ['a time that is none', [{ name: 'ops', url, remind: 'soon' }], /notify\.0\.remind: expected a time/],
    ['a negative time', [{ name: 'ops', url, after: -1 }], /notify\.0\.after: expected a time/],
    ['roles that are empty', [{ name: 'ops', url, roles: [] }], /notify\.0\.roles: expected a list of at least one/],
    [
      'an escalation to nobody',
      [{ name: 'ops', url, escalate: [{ after: '1h' }] }],
      /escalate\.0\.roles: expected a list/,
    ],
    ['an unknown key', [{ name: 'ops', url, rols: ['a'] }], /there is no rols.*Did you mean "roles"/],
    ['17 entries', Array.from({ length: 17 }, (_, n) => ({ name: `n${n}`, url })), /expected a list of at most 16/],
  ])('with %s is refused', (_, notify, message) => {
    expect(() => checkConfig({ notify }, '/p/planwright.config.ts')).toThrow(message);
  });

  test('cannot ask for content where everything is encrypted', () => {
    const config = {
      notify: [{ name: 'ops', url, content: true }],
      encryption: { keys: { a: { env: 'K' } }, current: 'a' },
    };
    expect(() => checkConfig(config, '/p/planwright.config.ts')).toThrow(
      /notify: ops has content: true; with encryption/,
    );
  });

  test('names the variable that is missing, or has no address, and never its value', () => {
    expect(() => receiverOf({ url: { env: 'HOOK' } })).toThrow('notify ops, url: the environment has no HOOK');
    expect(() => receiverOf({ url, secret: { env: 'KEY' } })).toThrow('notify ops, secret: the environment has no KEY');
    for (const value of ['gopher://x/secret-path', 'secret path', 'https://me:secret@x/'])
      expect(() => receiverOf({ url: { env: 'HOOK' } }, { HOOK: value })).toThrow(
        /^notify ops, url: [^]*(?<!secret.*)$/,
      );
  });
});

describe('an address', () => {
  test('gets the message, with its id, signed', async () => {
    const { url, arrived } = await openReceiver();
    await receiverOf({ url: `${url}/hook`, secret: { env: 'KEY' } }, { KEY: SECRET }).send('one', BODY, going());
    expect(arrived[0]).toMatchObject({
      body: BODY,
      headers: { 'planwright-id': 'one', 'content-type': 'application/json' },
    });
    expect(isSigned(arrived[0]!, SECRET)).toBe(true);
    expect(isSigned(arrived[0]!, 'another')).toBe(false);
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    ['fails', (one) => one.writeHead(500).end(), 'it answered 500'],
    ['refuses', (one) => one.writeHead(410).end(), 'it answered 410'],
    [
      'redirects',
      (one) => one.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      'it answered 307, a redirect, which is not followed',
    ],
    ['breaks off', (one) => one.destroy(), 'other side closed'],
  ])('that %s has not got it', async (_, answer, why) => {
    const { url, arrived } = await openReceiver(answer);
    expect(await failureOf(receiverOf({ url }).send('one', BODY, going()))).toBe(why);
    expect(arrived).toHaveLength(1);
  });

  test('may answer 100 MB, which nobody reads', async () => {
    let written = 0;
    const { url } = await openReceiver((response) => {
      response.on('error', () => undefined);
      const piece = Buffer.alloc(1_048_576);
      const more = () => {
        while (written < 100 && !response.destroyed) {
          written += 1;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await receiverOf({ url }).send('one', BODY, going());
    expect(written).toBeLessThan(100);
  });

  test('that hangs ends with its worker, and within its time', async () => {
    const { url } = await openReceiver(() => undefined);
    const stop = new AbortController();
    const sent = failureOf(receiverOf({ url }).send('one', BODY, stop.signal));
    const late = failureOf(receiverOf({ url }, {}, '.', 300).send('two', BODY, going()));
    stop.abort(new Error('the worker stops'));
    expect(await sent).toBe('the worker stops');
    expect(await late).toMatch(/timeout/);
  });

  test('that is not there is named, without what is secret in it', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const hook = `http://127.0.0.1:${port}/services/T0/B0/secret-path`;
    const why = await failureOf(receiverOf({ url: { env: 'HOOK' } }, { HOOK: hook }).send('one', BODY, going()));
    expect(why).toMatch(/ECONNREFUSED/);
    expect(why).not.toContain('secret-path');
  });
});

describe('a command', () => {
  const node = process.execPath;
  test('gets the message on stdin, its arguments without a shell, and the folder of the config', async () => {
    const folder = testFolder('notify');
    mkdirSync(join(folder, 'a b'));
    const script =
      "require('fs').writeFileSync('got.json', JSON.stringify([process.argv.slice(1), require('fs').readFileSync(0, 'utf8')]))";
    const command = [node, '-e', script, '$(touch pwned)', '; touch pwned'];
    await receiverOf({ command }, {}, join(folder, 'a b'), 60_000).send('one', BODY, going());
    const got = JSON.parse(readFileSync(join(folder, 'a b', 'got.json'), 'utf8')) as unknown;
    expect(got).toEqual([['$(touch pwned)', '; touch pwned'], BODY]);
    expect(() => readFileSync(join(folder, 'a b', 'pwned'))).toThrow('ENOENT');
  });

  test.each<[string, readonly string[], RegExp, number?]>([
    [
      'fails',
      [node, '-e', "process.stderr.write('no mail\\u001b[31m server'); process.exit(3)"],
      /ended with 3: no mail.* server$/,
    ],
    ['is not there', ['/no/such/program'], /ENOENT/],
    ['writes without end', [node, '-e', "for (;;) require('fs').writeSync(2, 'x'.repeat(65536))"], /timeout/, 1000],
  ])('that %s has not got it', async (_, command, why, sendMs = 60_000) => {
    const problem = await failureOf(receiverOf({ command }, {}, '.', sendMs).send('one', BODY, going()));
    expect(problem).toMatch(why);
    expect(problem).not.toMatch(/\p{Cc}/u);
    expect(problem.length).toBeLessThan(400);
  });

  test.each<[string, string, RegExp, boolean]>([
    ['ends', 'exit 0', /^sent$/, true],
    ['fails', 'exit 3', /ended with 3/, false],
    ['hangs', 'wait', /timeout/, false],
  ])('that %s and leaves a child behind is not waited for longer than its time', async (_, end, outcome, goesOn) => {
    const folder = testFolder('notify');
    const command = ['sh', '-c', `sleep 300 & echo $! > child; ${end}`];
    const sent = failureOf(receiverOf({ command }, {}, folder, 1000).send('one', BODY, going()));
    expect(await sent).toMatch(outcome);
    const child = readFileSync(join(folder, 'child'), 'utf8').trim();
    onTestFinished(() => void spawnSync('kill', [child]));
    const state = () => spawnSync('ps', ['-o', 'stat=', '-p', child]).stdout.toString().trim().slice(0, 1);
    if (goesOn) expect(state()).toMatch(/^[A-Y]$/);
    else await expect.poll(state).toMatch(/^Z?$/);
  });

  test('need not read a long message', async () => {
    await receiverOf({ command: [node, '-e', 'process.exit(0)'] }, {}, '.', 60_000).send(
      'one',
      'x'.repeat(5_000_000),
      going(),
    );
  });
});
