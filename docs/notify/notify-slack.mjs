import { text } from 'node:stream/consumers';

const message = JSON.parse(await text(process.stdin));
const lines = [
  message.text ?? `${message.kind} in run ${message.workflowId}`,
  ...(message.to === undefined ? [] : [`for ${message.to.join(', ')}`]),
  message.command,
];
// Slack reads no markup in these elements.
const elements = [
  { type: 'text', text: `${lines.join('\n')}\n` },
  ...(message.page === undefined ? [] : [{ type: 'link', url: message.page, text: 'Open the page' }]),
];
const answer = await fetch(process.env['SLACK_WEBHOOK_URL'] ?? '', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    text: 'Planwright waits for a person',
    blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }],
  }),
});
if (!answer.ok) throw new Error(`Slack answered ${answer.status}`);
