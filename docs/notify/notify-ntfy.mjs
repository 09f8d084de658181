import { text } from 'node:stream/consumers';

const message = JSON.parse(await text(process.stdin));
const lines = [
  message.text ?? `${message.kind} in run ${message.workflowId}`,
  ...(message.to === undefined ? [] : [`for ${message.to.join(', ')}`]),
  message.command,
];
const answer = await fetch(process.env['NTFY_URL'] ?? 'https://ntfy.sh', {
  method: 'POST',
  body: JSON.stringify({
    topic: process.env['NTFY_TOPIC'],
    title: `Planwright: ${message.kind}`,
    message: lines.join('\n'),
    click: message.page,
  }),
});
if (!answer.ok) throw new Error(`ntfy answered ${answer.status}`);
