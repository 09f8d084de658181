/** `planwright init` and `doctor`: a project, and what its runs stand on. */

import { table } from '../../plan/lines/index.ts';
import { IN_PROJECT } from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { INIT } from '../flags.ts';
import type { Style } from '../terminal/index.ts';
import type { Check } from '../working/index.ts';

export const init = byHand({
  command: {
    words: 'init',
    example: 'init --key-pair --by operator --role reviewer',
    from: { model: 'text-or-flag', role: 'words' },
    more: 'overwrites nothing',
  },
  does: 'Starts a project in this folder: a config, and keys to sign with.',
  input: (z) => z.object(INIT(z)),
  async run(typed, { output }) {
    const { startProject } = await import('../starting/index.ts');
    const { record, text: told, steps } = await startProject(typed);
    output.print({ ok: true, ...record }, () => told);
    for (const line of steps) output.note(line);
    return 'done';
  },
});

const STYLES: Readonly<Record<Check['state'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

export const doctor = byHand({
  command: {
    words: 'doctor',
    example: 'doctor --demo gene-strategies',
    place: [...IN_PROJECT, 'taskQueue'],
    more: 'exits 2 when something is',
  },
  does: 'Checks what runs stand on, and says what to do about what is missing.',
  input: (z) =>
    z.object({
      run: z
        .boolean()
        .default(true)
        .describe('leave out the run of forty idle tasks that shows how fast the server is'),
    }),
  async run(typed, { output, plans }) {
    const { examine } = await import('../working/index.ts');
    const checks: Check[] = [];
    for await (const check of examine(plans, typed)) {
      checks.push(check);
      const line = table([[check.state.padEnd(4), `${check.check}: ${check.message}`]], {
        columns: output.lineColumns,
        gap: 1,
      });
      // A finding is worth reading while the rest is still looked for; the text of the answer is on stdout.
      if (output.format === 'jsonl' || output.format === 'text') output.print(check, () => line);
      else output.note(output.paint(STYLES[check.state], line));
    }
    const hasFailed = checks.some(({ state }) => state === 'fail');
    if (output.format === 'json') output.print({ ok: !hasFailed, checks }, () => '');
    return hasFailed ? 'usage' : 'done';
  },
});
