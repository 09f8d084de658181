/** The command line: commands, common options, and the only place that handles all errors. */

import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Command, CommanderError, Help, type Option } from 'commander';
import { COLOR_MODES, createOutput, FORMATS, type Output } from './terminal/index.ts';
import { exitCodeOf, type AnyRow } from './define-command.ts';
import { asTyped } from './typed-command.ts';
import { EXIT_CODES, issuesOf, type OperationError, toOperationError, wrongUsage } from '../operations/index.ts';
import { allRows, commandsOf, isHidden } from './commands/index.ts';
import { COMMON, SHARED } from './flags.ts';
import { addTemporalFlags, OWN_OPTIONS, plainFlags } from './global-flags.ts';
import { optionOf } from './options.ts';
import { table } from '../plan/lines/index.ts';
import { version } from './version.ts';
import { noteIssues } from './view/index.ts';

const HELP_COLUMNS = 80;
/** Minimum width of descriptions beside the flags, in columns. With less room, descriptions go below the flags. */
const LEAST_WORDS = 20;

/** Runs the typed command and returns the exit code. Never throws. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const args = plainFlags(argv.slice(2));
  const name = basename(argv[1] ?? '') === 'temporal-plan' ? 'temporal plan' : 'planwright';
  const program = buildProgram(name, await allRows());
  const output = outputIn(args);
  try {
    // Without a command, a person gets the help. For a script it is an error.
    const isHelp = args.length === 0 && output.canAsk;
    await program.parseAsync(isHelp ? ['--help'] : args, { from: 'user' });
    return exitCodeOf(program);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const known = error instanceof CommanderError ? usageError(error) : toOperationError(error, asTyped);
    noteIssues(issuesOf(known), output);
    output.error(known);
    return known.exitCode;
  }
}

/**
 * `planwright COMMAND`, or `temporal plan COMMAND`: the Temporal CLI (1.6 and later) runs the program `temporal-plan`.
 * If the package is installed in a folder, type `npx planwright COMMAND`.
 *
 * A command that begins with a run also takes it as `-w RUN` or `--workflow-id RUN`. A message of a person (`approve`,
 * `pause`, ...) names its sender with `--by`, `--role` and `--comment`. `--key` signs the message, which is then valid
 * for 24 hours (docs/identity.md). Repeating a message changes nothing and exits 0; a message to an ended run exits 6.
 *
 * Data goes to stdout, everything else to stderr. Commands ask a person only if stdin, stdout and stderr are a terminal
 * and the output is text. Write durations as `90s`, `10m`, `24h`, `1h30m`.
 *
 * With `-o json` and `-o jsonl` an error is `{"ok":false,"error":{"code","message",...}}` on stdout; docs/errors.md has
 * the codes. `--log-level` is `warn` by default, and `info` with `--log-format json`. Data is never coloured; `--color
 * auto` obeys `NO_COLOR` and `TERM=dumb`.
 *
 * The connection flags (`--address`, `--namespace`, `--profile`, `--config-file`, `--api-key`, `--tls`, `--tls-*`,
 * `--grpc-meta`) are those of the Temporal CLI; each overrides its `TEMPORAL_*` variable. Its other flags are accepted
 * and have no effect.
 *
 * A config is `planwright.config.ts`, `.mts`, `.js` or `.mjs` (docs/configuration.md). Client and worker must use one
 * store.
 */
export function buildProgram(name: string, rows: readonly AnyRow[]): Command {
  const program = new Command(name)
    .description('Planwright runs plans that a model or a person writes, durably, on Temporal.')
    .version(version())
    .usage('COMMAND [options]')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpCommand(false)
    .allowExcessArguments()
    .configureHelp({
      minWidthToWrap: LEAST_WORDS,
      subcommandTerm: (command) => command.name(),
      // Hides options only while help is printed, since Commander uses the same list to suggest misspelt options.
      formatHelp: (command, help) =>
        new Help().formatHelp(command, Object.assign(help, { visibleOptions: ownOptions })),
    })
    .addHelpText('afterAll', ({ command }) => (command.parent === null ? FOOTER : `\n${MORE}`));
  for (const option of Object.values(OWN_OPTIONS)) program.addOption(option);
  addTemporalFlags(program);
  for (const command of [...commandsOf(rows), helpCommand(program), completionCommand(program)]) {
    for (const one of [command, ...command.commands]) one.copyInheritedSettings(program);
    program.addCommand(command, { hidden: isHidden(command) });
  }
  return program;
}

/** Options that a command's help lists. `help options` describes the others. */
export function ownOptions({ parent, options }: Command): Option[] {
  return parent === null ? [] : options.filter((one) => !one.hidden && one.helpGroupHeading !== SHARED);
}

const MORE = '`help options` describes the options of every command.';
const FOOTER = `
\`help COMMAND\` and \`help options\` describe more. Also \`receipt\`, \`verify\`,
\`decisions\`, \`grants\`, \`schedules\`, \`codec\`, \`completion SHELL\`, \`version\`.`;

function helpCommand(program: Command): Command {
  return new Command('help')
    .description('Describe a command, or with `options` the options of every command.')
    .argument('[command...]')
    .addHelpText('after', '\nExample:\n  planwright help approve')
    .action((words: readonly string[]) => {
      if (words.join(' ') === 'options') return optionsPage(program).outputHelp();
      const found = words.reduce<Command | undefined>(
        (above, name) => above?.commands.find((one) => one.name() === name),
        program,
      );
      if (found !== undefined) return found.outputHelp();
      return program.error(`error: unknown command '${words.join(' ')}'`, { code: 'commander.unknownCommand' });
    });
}

function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('Print a script that completes commands and options in a shell.')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', '\nExample:\n  planwright completion bash')
    .action(async (shell: string) => {
      const { completionScript } = await import('./completion.ts');
      process.stdout.write(`${completionScript(program, shell)}\n`);
    });
}

export function optionsPage(program: Command): Command {
  const page = new Command(program.name())
    .usage('COMMAND [options]')
    .description('The options of every command. The help of a command names the shared ones that it takes.')
    .helpOption(false)
    .configureHelp({ minWidthToWrap: LEAST_WORDS })
    .addHelpText('after', exitCodeHelp());
  for (const option of program.options) page.addOption(option);
  for (const [group, fields] of Object.entries(COMMON))
    for (const field of fields) page.addOption(optionOf(field)!.helpGroup(`${group}:`));
  return page;
}

function usageError(error: CommanderError): OperationError {
  if (error.code === 'commander.help') return wrongUsage(`name a command; \`${asTyped('--help')}\` lists them`);
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  return wrongUsage(`${message}; \`${asTyped('help')}\` and \`${asTyped('help COMMAND')}\` say what is possible`);
}

const OF_OUTPUT = { output: { type: 'string', short: 'o' }, color: { type: 'string' } } as const;

/** Reads the output format first, so that errors in other options respect `-o json`. */
function outputIn(args: readonly string[]): Output {
  const { values } = parseArgs({ args: [...args], strict: false, options: OF_OUTPUT });
  const format = FORMATS.find((one) => one === values['output']) ?? 'text';
  return createOutput(format, COLOR_MODES.find((mode) => mode === values['color']) ?? 'auto');
}

function exitCodeHelp(): string {
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]);
  return `\nExit codes:\n${table(rows, { indent: '  ', columns: HELP_COLUMNS })}`;
}
