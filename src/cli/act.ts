/** Joins a command to its action, which is loaded only when the command is typed. */

import type { Command } from 'commander';
import { createOutput, type ColorMode, type Format, type Output } from './output.ts';
import { applyTemporalFlags } from './temporal-flags.ts';

/** Options that every command has. */
export interface GlobalOptions {
  readonly output: Format;
  readonly color: ColorMode;
  readonly address?: string;
  readonly namespace?: string;
  readonly logLevel?: string;
  readonly commandTimeout?: string;
}

/** Returns the exit code of the program. */
export type Action<Options> = (options: Options & GlobalOptions, output: Output, ...args: string[]) => Promise<number>;

export function act<Options>(command: Command, load: () => Promise<Action<Options>>): Command {
  return command.action(async (...received: unknown[]) => {
    const typed = received.at(-1) as Command;
    applyTemporalFlags(programOf(typed), process.env);
    const options = typed.optsWithGlobals<Options & GlobalOptions>();
    const action = await load();
    process.exitCode = await action(
      options,
      createOutput(options.output, options.color),
      ...(typed.processedArgs as string[]),
    );
  });
}

/** A command may stand below another one. */
function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

export function example(command: Command, line: string): Command {
  return command.addHelpText('after', `\nExample:\n  ${line}`);
}
