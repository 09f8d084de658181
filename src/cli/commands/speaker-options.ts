import type { Command } from 'commander';

/** The options that say who speaks to a run, and prove it. */
export function speakerOptions(command: Command): Command {
  return keyOptions(
    command
      .option('--by <name>', 'who says it (default: your user name)')
      .option('--role <role>', 'in which role')
      .option('--comment <text>', 'why'),
  );
}

export function keyOptions(command: Command): Command {
  return command
    .option('--key <file>', 'sign with this Ed25519 private key, PEM (default: the file that PLANWRIGHT_KEY names)')
    .option('--kid <name>', 'name of the key in the configuration of the project');
}
