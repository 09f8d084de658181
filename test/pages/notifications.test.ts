/** The recipes of docs/notifications.md, each as the command of an entry, at an endpoint that keeps what it gets. */

import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { openReceivers } from '../../src/config/notify/index.ts';
import { testFolder } from '../support/folders.ts';
import { ROOT } from '../support/source-files.ts';
import { openReceiver } from '../config/notify/receiving.ts';

const HOSTILE =
  '<!channel> *now* [a](https://evil.example) <https://evil.example|b> https://evil.example\r\nBcc: evil@example.org';
const PAGE = 'https://plans.example.org/runs/plan-1';
const MESSAGE = {
  ...{ id: 'id-1', kind: 'approval', workflowId: 'plan-1', text: `approve the plan "${HOSTILE}"?`, goal: HOSTILE },
  ...{ to: ['lead'], command: 'npx planwright approve plan-1', page: PAGE },
};

let folder: string;
beforeEach(() => {
  folder = testFolder('recipes');
  cpSync(join(ROOT, 'docs/notify'), folder, { recursive: true });
});
function send(recipe: string, message: object = MESSAGE): Promise<void> {
  const command = [process.execPath, recipe];
  const [receiver] = openReceivers([{ name: 'ops', command }] as never, folder, {}, 60_000);
  return receiver!.send('id-1', JSON.stringify(message), new AbortController().signal);
}

/** Every string in a JSON with the path to it, without numbers: `blocks.elements.text`. */
function texts(value: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    texts(one, Array.isArray(value) ? path : path === '' ? key : `${path}.${key}`),
  );
}

test.each([
  ['notify-slack.mjs', 'SLACK_WEBHOOK_URL', { 'blocks.elements.elements': 'text' }, 'blocks.elements.elements.url'],
  [
    'notify-teams.mjs',
    'TEAMS_WEBHOOK_URL',
    { 'attachments.content.body.inlines': 'TextRun' },
    'attachments.content.actions.url',
  ],
  ['notify-ntfy.mjs', 'NTFY_URL', { '': 'message' }, 'click'],
])(
  '%s sends plain text with no link but the page, and fails with its endpoint',
  async (recipe, variable, where, link) => {
    let isBroken = false;
    const { url, arrived } = await openReceiver((response) => response.writeHead(isBroken ? 500 : 200).end());
    vi.stubEnv(variable, url);
    vi.stubEnv('NTFY_TOPIC', 'plans');
    await send(recipe);
    const found = texts(arrived[0]!.message);
    const [place = ''] = Object.keys(where);
    const plain = place === '' ? 'message' : `${place}.text`;
    expect(new Set(found.filter(([, text]) => text.includes('evil')).map(([path]) => path))).toEqual(new Set([plain]));
    expect(found.filter(([, text]) => text === PAGE)).toEqual([[link, PAGE]]);
    expect(found.filter(([path]) => /(?:^|\.)(?:url|click)$/.test(path))).toEqual([[link, PAGE]]);
    const kinds = found.filter(([path]) => path === `${place}.type`).map(([, type]) => type);
    expect(new Set(kinds)).toEqual(
      place === '' ? new Set() : new Set([...Object.values(where), ...(recipe.includes('slack') ? ['link'] : [])]),
    );
    await send(recipe, { ...MESSAGE, text: undefined, to: undefined, page: undefined });
    expect(arrived[1]!.body).toContain('approval in run plan-1');
    isBroken = true;
    await expect(send(recipe)).rejects.toThrow(/answered 500/);
  },
);

test('notify-mail.mjs sends a mail whose headers have nothing of the plan', async () => {
  const program = join(folder, 'sendmail');
  writeFileSync(program, '#!/bin/sh\necho "$@" > args.txt\ncat > mail.txt\n');
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  vi.stubEnv('NOTIFY_MAIL', 'ops@example.org');
  await send('notify-mail.mjs');
  expect(readFileSync(join(folder, 'args.txt'), 'utf8')).toBe('-i ops@example.org\n');
  const [head = '', body = ''] = readFileSync(join(folder, 'mail.txt'), 'utf8').split('\n\n');
  expect(head.split('\n')).toEqual([
    ...['To: ops@example.org', 'Subject: Planwright: approval', 'Message-ID: <id-1@planwright>', 'MIME-Version: 1.0'],
    ...['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'],
  ]);
  expect(Math.max(...body.split('\n').map((line) => line.length))).toBe(76);
  const sent = Buffer.from(body, 'base64').toString('utf8');
  expect(sent).toBe(`${MESSAGE.text}\nfor lead\n${MESSAGE.command}\n${PAGE}`);
  writeFileSync(program, '#!/bin/sh\nexit 75\n');
  await expect(send('notify-mail.mjs')).rejects.toThrow(/ended with 1/);
});
