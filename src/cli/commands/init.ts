/** How `planwright init` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { flag, text, textOrFlag, texts } from '../options/index.ts';

export function initCommand(): Command {
  const command = new Command('init').description(
    'start a project in this folder: a config, and keys to sign with; overwrites nothing',
  );
  example(command, 'planwright init --key-pair --by operator --role reviewer');
  const table = {
    model: textOrFlag('url', 'a project that plans: a model (of this server, default that of OpenAI) and an agent'),
    modelName: text('<name>', 'with --model: the model (default: a name to fill in)'),
    keyPair: flag('make an Ed25519 key for a person: the private part for you alone, the public one here'),
    by: text('<name>', 'with --key-pair: whose key it is (default: your user name)'),
    role: texts('role', 'with --key-pair: the roles in which that person may speak'),
  };
  return act(command, table, ACTIONS.init);
}
