/** `planwright init`: a config that runs as it is, and keys to sign with. It changes no file that is there. */

import { defineCommand } from '../define-command.ts';
import { flag, text, textOrFlag, texts } from '../options.ts';

export const initCommand = defineCommand({
  name: 'init',
  description: 'start a project in this folder: a config, and keys to sign with; overwrites nothing',
  examples: ['planwright init --key-pair --by operator --role reviewer'],
  flags: {
    model: textOrFlag('url', 'a project that plans: a model (of this server, default that of OpenAI) and an agent'),
    modelName: text('<name>', 'with --model: the model (default: a name to fill in)'),
    keyPair: flag('make an Ed25519 key for a person: the private part for you alone, the public one here'),
    by: text('<name>', 'with --key-pair: whose key it is (default: your user name)'),
    role: texts('role', 'with --key-pair: the roles in which that person may speak'),
  },
  async run(typed, { output }) {
    const { startProject } = await import('../starting/index.ts');
    const { record, text: told, steps } = startProject(typed);
    output.print({ ok: true, ...record }, () => told);
    for (const line of steps) output.note(line);
    return 'done';
  },
});
