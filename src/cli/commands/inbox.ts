/** `planwright inbox`: what the runs of a namespace wait for a person to say. */

import { defineCommand } from '../define-command.ts';
import { countOr, text } from '../options.ts';
import { commandFor, inboxText, missingOfInbox } from '../view/index.ts';

export const inboxCommand = defineCommand({
  name: 'inbox',
  summary: 'list what waits for a person',
  description: 'list what the runs of this namespace wait for a person to say, the oldest first',
  examples: ['planwright inbox --role reviewer'],
  flags: {
    role: text('<role>', 'only what waits for this role or for anybody'),
    limit: countOr(100, 'at most so many'),
  },
  operation: 'inbox',
  input: ({ role, limit }) => ({ role, limit }),
  json: (found, { flags, typed }) => ({
    ...found,
    items: found.items.map((item) => ({ ...item, command: commandFor(item, flags, typed.role) })),
  }),
  show: (found, { flags, typed }) => inboxText(found, flags, typed.role),
  lines: ['items'],
  notes: (found, { output }) => missingOfInbox(found).map((line) => `${output.paint('yellow', 'note')}: ${line}`),
});
