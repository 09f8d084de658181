/** The capabilities of the agents: look into a corpus, and file a report. */

import type { Tool } from 'ai';
import { z } from 'zod';
import { createSet } from 'planwright';
import { CapabilityError, NotApplied, defineCapability, fromTools } from 'planwright/capabilities';
import type { Archive } from './archive.ts';
import { CORPUS, textsWith } from './corpus.ts';

/** A worker beats every 3 s, and the corpus answers at once: silence of 5 s means a dead worker. */
const timeout = { heartbeatMs: 5000 };

export const corpusSearch = defineCapability({
  name: 'corpus.search',
  description: 'Finds the texts of the corpus that hold all of the words.',
  input: z.strictObject({ words: z.string().min(1) }),
  output: 'set',
  effect: 'read',
  timeout,
  guide: { when: 'It is not known which texts speak of something.', examples: ['{"words":"Norholm ferry"}'] },
  execute: ({ arguments: { words } }) =>
    createSet(
      textsWith(words).map(({ id }) => ({ id })),
      'text',
    ),
});

/**
 * A tool of the AI SDK, which becomes a capability (docs/tools.md). `tool()` of that package returns its argument, so the
 * demo needs only the type.
 */
const READ = {
  'corpus.read': {
    description: 'Reads one text of the corpus.',
    inputSchema: z.strictObject({ id: z.string() }),
    execute({ id }) {
      const found = CORPUS.find((one) => one.id === id);
      if (found !== undefined) return found.text;
      const ids = CORPUS.map((one) => one.id).join(', ');
      throw new CapabilityError('REPLANNING', `there is no text "${id}" in the corpus; there are ${ids}`);
    },
  } satisfies Tool<{ id: string }, string>,
};

export const corpusTools = fromTools(READ, {
  version: '1.0.0',
  effects: { 'corpus.read': 'read' },
  // The corpus is a part of the demo.
  untrusted: false,
});

/** The archive knows no keys: every report that arrives is filed. */
export function reportFile(archive: Archive) {
  return defineCapability({
    name: 'report.file',
    description: 'Files a report in the archive, where it stays.',
    input: z.strictObject({ title: z.string().min(1), text: z.string().min(1) }),
    output: 'value',
    effect: 'at-most-once',
    execute({ arguments: { title, text }, idempotencyKey: key }) {
      archive.add({ key, title, text });
      return { filed: title };
    },
    inverse: ({ arguments: { title } }) => ({ capability: 'report.withdraw', arguments: { title } }),
  });
}

export function reportWithdraw(archive: Archive) {
  return defineCapability({
    name: 'report.withdraw',
    description: 'Withdraws the last report of a title.',
    input: z.strictObject({ title: z.string().min(1) }),
    output: 'value',
    effect: 'at-most-once',
    execute({ arguments: { title } }) {
      const filed = archive.all().findLast((report) => report.title === title);
      if (filed === undefined) throw new NotApplied(`the archive has no report "${title}"`);
      archive.withdraw(filed.key);
      return { withdrawn: title };
    },
  });
}
