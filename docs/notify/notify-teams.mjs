import { text } from 'node:stream/consumers';

const message = JSON.parse(await text(process.stdin));
const lines = [
  message.text ?? `${message.kind} in run ${message.workflowId}`,
  ...(message.to === undefined ? [] : [`for ${message.to.join(', ')}`]),
  message.command,
];
// A TextBlock would read markdown; a RichTextBlock does not.
const body = lines.map((line) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] }));
const actions =
  message.page === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open the page', url: message.page }];
const content = { type: 'AdaptiveCard', version: '1.4', body, actions };
const answer = await fetch(process.env['TEAMS_WEBHOOK_URL'] ?? '', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  }),
});
if (!answer.ok) throw new Error(`Teams answered ${answer.status}`);
