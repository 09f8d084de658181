import { table } from '../../plan/lines/index.ts';
import { IN_PROJECT } from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { INIT } from '../flags.ts';
import { version } from '../version.ts';
import type { Style } from '../terminal/index.ts';
import type { DoctorCheck } from '../working/index.ts';

/**
 * Writes `planwright.config.ts` with a capability and a `taskQueue` named after the folder; `plan.yaml`, which uses the
 * capability; `plan.test.mjs` (`node --test`), which fails if capability and plan no longer fit; and
 * `.planwright/.gitignore` for the results. Prints the commands to type next.
 *
 * - `--key-pair`: writes the private part to `~/.config/planwright/NAME.key.pem` (or below `XDG_CONFIG_HOME`), readable
 *   only by its owner, and the public part to `.planwright/keys/NAME.pub.pem`. Uses an existing private key. The
 *   `identity` block goes into a new config, or is printed if there is one already. docs/identity.md says what to
 *   commit.
 * - `--person`: makes a second key, `NAME-person`, with a passphrase of at least 12 characters that you type twice at
 *   the terminal (docs/identity.md#a-persons-key).
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
    const { startProject } = await import('../starting/start-project.ts');
    const { record, text: summary, steps } = await startProject(typed);
    output.print({ ok: true, ...record }, () => summary);
    for (const line of steps) output.note(line);
    return 'done';
  },
});

export const printVersion = byHand({
  command: { words: 'version' },
  does: 'Print the version.',
  input: (z) => z.object({}),
  async run(_typed, { output }) {
    output.print({ ok: true, version: version() }, version);
    return 'done';
  },
});

const STYLES: Readonly<Record<DoctorCheck['state'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

/**
 * Checks Node.js, the config, the result store, the server, the namespace, the workers of the task queue, and the
 * builds that open runs need. Each check is `ok`, `warn` (runs work, but something could be better) or `fail`. With
 * `--store`, compares everything in that store with its digest.
 *
 * JSON: `{"ok","checks":[{"check","state","message"}]}`; jsonl is a check a line.
 */
export const doctor = byHand({
  command: {
    words: 'doctor',
    example: 'doctor --demo gene-strategies',
    place: [...IN_PROJECT, 'taskQueue'],
    more: 'It exits 2 if something is missing, such as a worker.',
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
      if (output.format === 'jsonl' || output.format === 'text') output.print(check, () => line);
      else output.note(output.paint(STYLES[check.state], line));
    }
    const hasFailed = checks.some(({ state }) => state === 'fail');
    if (output.format === 'json') output.print({ ok: !hasFailed, checks }, () => '');
    return hasFailed ? 'usage' : 'done';
  },
});
