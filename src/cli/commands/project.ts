/** `planwright init`, `doctor` and `version`. */

import { table } from '../../plan/lines/index.ts';
import { IN_PROJECT } from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { INIT } from '../flags.ts';
import { version } from '../version.ts';
import type { Style } from '../terminal/index.ts';
import type { DoctorCheck } from '../working/index.ts';

/**
 * Writes a `planwright.config.ts` that runs as it is, with a capability and a `taskQueue` named after the folder; a
 * `plan.yaml` that uses the capability; a `plan.test.mjs` (`node --test`) that fails when the two no longer fit; and a
 * `.planwright/.gitignore` that keeps the results out of git. It ends with the commands to type next. A config that is
 * there is told and left alone.
 *
 * - `--key-pair`: the private part is written to `~/.config/planwright/NAME.key.pem` (or below `XDG_CONFIG_HOME`),
 *   readable by its owner alone; the public part to `.planwright/keys/NAME.pub.pem`. A private key that is there is
 *   used. The `identity` block is written into a new config, and printed for one that is there. docs/identity.md says
 *   what keys are for and what to commit.
 * - `--person`: makes a second key, `NAME-person`, locked with a passphrase of at least 12 characters that is typed
 *   twice at the terminal. Without a terminal nothing is written. docs/identity.md#a-persons-key
 *
 * JSON: `{"ok":true,"config","created","key"?:{"kid","subject","roles","privateKey","publicKey"},"identity"?}`;
 * `privateKey` and `publicKey` are paths.
 */
export const init = byHand({
  command: {
    words: 'init',
    example: 'init --key-pair --by operator --role reviewer',
    from: { model: 'text-or-flag', role: 'words' },
    more: 'It overwrites nothing.',
  },
  does: 'Start a project here: a config, a plan and a test.',
  input: (z) => z.object(INIT(z)),
  async run(typed, { output }) {
    const { startProject } = await import('../starting/index.ts');
    const { record, text: summary, steps } = await startProject(typed);
    output.print({ ok: true, ...record }, () => summary);
    for (const line of steps) output.note(line);
    return 'done';
  },
});

export const printVersion = byHand({
  command: { words: 'version', example: 'version' },
  does: 'Print the version.',
  input: (z) => z.object({}),
  async run(_typed, { output }) {
    output.print({ ok: true, version: version() }, version);
    return 'done';
  },
});

const STYLES: Readonly<Record<DoctorCheck['state'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

/**
 * Checks the version of Node.js, the config, the result store, the server, the namespace, a worker on the task queue,
 * and the builds that open runs are pinned to. Each check is `ok`, `warn` (runs work, and something should be better) or
 * `fail`, with what to do. It starts no run. With `--store` everything in that store is read and compared with its
 * digest.
 *
 * JSON: `{"ok","checks":[{"check","state","message"}]}`; jsonl is a check a line.
 */
export const doctor = byHand({
  command: {
    words: 'doctor',
    example: 'doctor --demo gene-strategies',
    place: [...IN_PROJECT, 'taskQueue'],
    more: 'It exits 2 if something is missing.',
  },
  does: 'Check what runs need, and say how to fix what is missing.',
  input: (z) => z.object({}),
  async run(typed, { output, plans }) {
    const { examine } = await import('../working/index.ts');
    const checks: DoctorCheck[] = [];
    for await (const check of examine(plans, typed)) {
      checks.push(check);
      const line = table([[check.state.padEnd(4), `${check.check}: ${check.message}`]], {
        columns: output.lineColumns,
        gap: 1,
      });
      // Each finding is printed while the next check runs; in text, stdout has the answer.
      if (output.format === 'jsonl' || output.format === 'text') output.print(check, () => line);
      else output.note(output.paint(STYLES[check.state], line));
    }
    const hasFailed = checks.some(({ state }) => state === 'fail');
    if (output.format === 'json') output.print({ ok: !hasFailed, checks }, () => '');
    return hasFailed ? 'usage' : 'done';
  },
});
