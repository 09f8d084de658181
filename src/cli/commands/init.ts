import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { InitOptions } from '../actions/init.ts';

export function initCommand(): Command {
  const command = new Command('init')
    .description('start a project in this folder: a config, and keys to sign with; overwrites nothing')
    .option('--key-pair', 'make an Ed25519 key for a person: the private part for you alone, the public one here')
    .option('--by <name>', 'with --key-pair: whose key it is (default: your user name)')
    .option('--role <role...>', 'with --key-pair: the roles in which that person may speak');
  example(command, 'planwright init --key-pair --by ana --role reviewer');
  return act<InitOptions>(command, async () => (await import('../actions/init.ts')).init);
}
