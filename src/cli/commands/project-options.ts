import type { Command } from 'commander';

/** The options that say which project a command works for. */
export function projectOptions(command: Command): Command {
  return command
    .option('--config <file>', 'config of the project (default: planwright.config.* of this folder)')
    .option('--demo <name>', 'a demo instead of a config, such as gene-strategies')
    .option('--store <dir>', "result store (default: the config's, else PLANWRIGHT_STORE, else .planwright/results)");
}
