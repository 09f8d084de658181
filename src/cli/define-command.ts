import { Command, Option } from 'commander';
import {
  EXIT_CODES,
  openPlans,
  perform,
  readsFile,
  type CommandRow,
  type ExitName,
  type InputField,
  type InputOf,
  type OperationName,
  type OutputOf,
  type Plans,
  type PlansOptions,
  type CommandSpec,
  type Waiting,
  type Z,
} from '../operations/index.ts';
import type { z } from 'zod';
import { counted } from '../plan/text/index.ts';
import { asTyped, connectionFlags } from './typed-command.ts';
import { commonText, isCommon, PLACE, SHARED, type PlaceTyped } from './flags.ts';
import { applyTemporalFlags, type GlobalOptions } from './global-flags.ts';
import { dashed, optionOf, readChoice } from './options.ts';
import { createOutput, type Output } from './terminal/index.ts';

export type Typed = GlobalOptions & PlaceTyped & { readonly [name: string]: unknown };

export interface Shell {
  readonly typed: Typed;
  readonly output: Output;
  /** The typed connection flags, for printed commands: `''` or ` --address ...`. */
  readonly flags: string;
  readonly plans: Plans;
  /** Calls `work` with a shell for another project or task queue, which is closed afterwards. */
  elsewhere<R>(place: PlansOptions, work: (shell: Shell) => Promise<R>): Promise<R>;
  perform<Name extends OperationName>(name: Name, input: InputOf<Name>, waiting?: Waiting): Promise<OutputOf<Name>>;
}

/** A command that is not a single operation: a process, or a run that is followed. */
export interface ByHand<Input> {
  readonly command: CommandSpec;
  readonly does: string;
  readonly input: (zod: Z) => z.ZodType<Input>;
  run(typed: GlobalOptions & PlaceTyped & Input, shell: Shell): Promise<ExitName>;
}

/** Declares a command and infers the type of its input from its schema. */
export function byHand<Input>(row: ByHand<Input>): ByHand<Input> {
  return row;
}

export type AnyRow = CommandRow<string>;

const EXITS = new WeakMap<Command, number>();

export function exitCodeOf(program: Command): number {
  return EXITS.get(program) ?? 0;
}

export function defineGroup(
  name: string,
  description: string,
  example: string,
  below: readonly Command[],
  usual?: string,
): Command {
  const group = new Command(name)
    .summary(description.replace(/\.$/, ''))
    .description(description)
    .helpCommand(false)
    .addHelpText('after', `\nExample:\n  ${example}`);
  for (const command of below) group.addCommand(command, { isDefault: command.name() === usual });
  return group;
}

export function declareCommand(row: AnyRow, run: (typed: Typed) => Promise<ExitName>): Command {
  const { does, more, example, place = [], fields, flags } = row;
  const [path, places] = wordsOf(row);
  const command = new Command(path.at(-1))
    .summary(does.replace(/\.$/, ''))
    .description(more === undefined ? does : `${does} ${more}`);
  // `-w RUN` can replace the first argument, so Commander must accept that it is missing. `typedWords` checks the number.
  for (const [written, field] of places) command.argument(written.replace(/^<(.*)>$/, '[$1]'), helpOf(field));
  const placed = places.map(([, field]) => field);
  if (namesRun(placed)) command.addOption(new Option('-w, --workflow-id <workflow-id>').helpGroup(SHARED));
  for (const field of [...fields, ...flags]) {
    const option = placed.includes(field) ? undefined : optionOf(field);
    if (option !== undefined) command.addOption(isCommon(field, place) ? option.helpGroup(SHARED) : option);
  }
  for (const name of place) command.addOption(optionOf(PLACE[name])!.helpGroup(SHARED));
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags: written }) => written);
  command.usage(['[options]', ...places.map(([written]) => written), ...required].join(' '));
  const common = commonText(fields, place);
  const examples = example === undefined ? [] : ['', `Example:\n  planwright ${example}`];
  const after = [...(common.length === 0 ? [] : ['', ...common]), ...examples];
  command.addHelpText('after', after.join('\n'));
  return command.action(async function (this: Command) {
    const program = programOf(this);
    applyTemporalFlags(program, process.env);
    const words = typedWords(this, places);
    const named = placed.map(({ name }, at) => [name, words[at]] as const);
    const exit = await run({ ...this.optsWithGlobals<GlobalOptions>(), ...Object.fromEntries(named) });
    EXITS.set(program, EXIT_CODES[exit].code);
  });
}

/** The words of the command, and its positional arguments (`[node]`) with their fields. */
function wordsOf({ words, fields }: AnyRow): readonly [path: readonly string[], places: [string, InputField][]] {
  const all = words.split(' ');
  const places = all.flatMap((one): [string, InputField][] => {
    const name = /^[<[](.*)[>\]]$/.exec(one)?.[1];
    const field = fields.find((each) => dashed(each.name) === name || (name === 'file' && readsFile(each)));
    return field === undefined ? [] : [[one, field]];
  });
  return [all.slice(0, all.length - places.length), places];
}

function helpOf(field: InputField): string {
  const more = readsFile(field) ? ', or - for standard input' : namesRun([field]) ? ' (or -w, --workflow-id)' : '';
  return `${field.description ?? ''}${more}`;
}

function namesRun([first]: readonly InputField[]): boolean {
  return first?.name === 'workflowId';
}

/** The positional arguments, the first maybe a run named by `-w`. @throws CommanderError for a wrong number */
function typedWords(command: Command, places: readonly [string, InputField][]): readonly string[] {
  const run = namesRun(places.map(([, field]) => field)) ? command.opts<Partial<Record<string, string>>>() : {};
  const words = [...(run['workflowId'] === undefined ? [] : [run['workflowId']]), ...command.args];
  const missing = places.slice(words.length).find(([written]) => written.startsWith('<'));
  if (missing !== undefined) command.error(`error: missing required argument '${missing[0].slice(1, -1)}'`);
  if (words.length > places.length) {
    const expected = `expected ${counted(places.length, 'argument')} but got ${words.length}`;
    command.error(`error: too many arguments for '${command.name()}': ${expected} (${words.join(', ')})`);
  }
  return words.map((word, at) => {
    const [, field] = places[at]!;
    return field.enum === undefined ? word : readChoice(field.name, word, field.enum);
  });
}

interface Place {
  readonly row: Pick<AnyRow, 'place'>;
  readonly typed: Typed;
  /** Whether the command reads the project's config. Default: true if it has `--store` or `--config`. */
  readonly readsConfig?: boolean | undefined;
}

export async function inShell<T>(
  at: Place,
  work: (shell: Shell) => Promise<T>,
  overrides: PlansOptions = {},
): Promise<T> {
  const { typed, row, readsConfig = ['config', 'store'].some((name) => row.place?.includes(name as 'config')) } = at;
  const { config, demo, store, taskQueue, key, kid } = typed;
  const signs = row.place?.includes('key') === true;
  const signer = signs ? await (await import('./reading/index.ts')).openSigner({ key, kid }) : undefined;
  const place = { config, demo, store, taskQueue } as { readonly config?: string };
  const plans = openPlans({ ...place, signer, readsConfig, typed: asTyped, ...overrides });
  const output = createOutput(typed.output, typed.color);
  try {
    return await work({
      ...{ typed, output, plans, flags: connectionFlags(typed) },
      elsewhere: (to, also) => inShell(at, also, { ...overrides, ...to }),
      perform: (name, input, waiting) => perform(name, plans, input, waiting),
    });
  } finally {
    await plans.close();
  }
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}
