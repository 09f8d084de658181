/** What a scripted model says: that it calls a tool, or that it has finished. */

import type { ScriptedLine } from '../../src/models/index.ts';

export const call = (name: string, args: object = {}): ScriptedLine => ({
  reply: { toolCalls: [{ id: 'c', name, arguments: JSON.stringify(args) }] },
});

export const finish = (answer = 'done') => call('finish', { answer });
