/** `planwright doctor`: checks what runs stand on, one after the other, and leaves out what has nothing to stand on. */

import { defineCommand } from '../define-command.ts';
import { negated } from '../options.ts';
import type { Style } from '../terminal/index.ts';
import type { Check } from '../working/index.ts';
import { PROJECT, TASK_QUEUE } from './tables.ts';

const STYLES: Readonly<Record<Check['state'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

export const doctorCommand = defineCommand({
  name: 'doctor',
  description: 'check what runs stand on, and say what to do about what is missing; exits 2 when something is',
  examples: ['planwright doctor --demo gene-strategies'],
  flags: {
    ...PROJECT,
    taskQueue: TASK_QUEUE,
    run: negated('leave out the run of forty idle tasks that shows how fast the server is'),
  },
  async run(typed, { output, plans }) {
    const { examine } = await import('../working/index.ts');
    const checks: Check[] = [];
    for await (const check of examine(plans, typed)) {
      checks.push(check);
      const line = `${check.state.padEnd(4)} ${check.check}: ${check.message}`;
      // A finding is worth reading while the rest is still looked for; the text of the answer is on stdout.
      if (output.format === 'jsonl' || output.format === 'text') output.print(check, () => line);
      else output.note(output.paint(STYLES[check.state], line));
    }
    const hasFailed = checks.some(({ state }) => state === 'fail');
    if (output.format === 'json') output.print({ ok: !hasFailed, checks }, () => '');
    return hasFailed ? 'usage' : 'done';
  },
});
