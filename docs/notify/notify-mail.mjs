import { execFileSync } from 'node:child_process';
import { text } from 'node:stream/consumers';

const message = JSON.parse(await text(process.stdin));
const lines = [
  message.text ?? `${message.kind} in run ${message.workflowId}`,
  ...(message.to === undefined ? [] : [`for ${message.to.join(', ')}`]),
  message.command,
  ...(message.page === undefined ? [] : [message.page]),
];
const to = process.env['NOTIFY_MAIL'] ?? '';
// Nothing of a plan stands in a header.
const head = [
  `To: ${to}`,
  `Subject: Planwright: ${message.kind}`,
  `Message-ID: <${message.id}@planwright>`,
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
];
const body = Buffer.from(lines.join('\n')).toString('base64').replaceAll(/.{76}/g, '$&\n');
execFileSync('sendmail', ['-i', to], { input: `${head.join('\n')}\n\n${body}\n` });
