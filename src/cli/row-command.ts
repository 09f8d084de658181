/** A command made from a row of the operations: its flags and its help are those of the fields of its input. */

import type { Command } from 'commander';
import {
  readsFile,
  type CommandRow,
  type ExitName,
  type Field,
  type Heard,
  type InputOf,
  type OperationName,
  type OutputOf,
  type PlaceFlag,
  type Waiting,
} from '../operations/index.ts';
import type { PlanIssue } from '../plan/index.ts';
import { visible } from '../plan/text/index.ts';
import { defineCommand, type Shell } from './define-command.ts';
import { KEY, PROJECT, TASK_QUEUE } from './flags.ts';
import type { GlobalOptions } from './global-flags.ts';
import { choice, count, dashed, duration, flag, names, text, texts, type OptionKind } from './options.ts';
import { answerText, noteIssues } from './view/index.ts';
import type { Output } from './terminal/index.ts';
import { startWait, timeLimit, type Wait } from './wait.ts';

/** What was typed, by the names of fields and flags. */
export type RowTyped = GlobalOptions & { readonly [name: string]: unknown };
export type RowShell = Shell<RowTyped>;

/** How an answer is shown, where names with their values are not the best. All of it may be left out. */
export interface View<Name extends OperationName> {
  /** Fields that depend on how the answer is shown. */
  readonly input?: (typed: RowTyped, shell: RowShell) => Partial<InputOf<Name>>;
  /** The text form, where it is more than the fields that the row shows. */
  readonly show?: (output: OutputOf<Name>, shell: RowShell) => string | Promise<string>;
  /** Fields of the output that the JSON form leaves out. */
  readonly hides?: readonly string[];
  /** The JSON form, without its `ok`. Default: the output. */
  readonly json?: (output: OutputOf<Name>, shell: RowShell) => object | Promise<object>;
  /** The JSON form is the output alone, without `ok`. */
  readonly isBare?: true;
  /** The lists of the JSON form whose items are the lines of jsonl. Default: the JSON form is the only line. */
  readonly lines?: readonly string[];
  /** Lines for stderr, behind the rest; behind them the issues that the output has as `warnings` or `issues`. */
  readonly notes?: (output: OutputOf<Name>, shell: RowShell) => readonly string[] | Promise<readonly string[]>;
  /** Default: `done`, or `badOutcome` where something is wrong. */
  readonly exit?: (output: OutputOf<Name>) => ExitName;
  /** The answer tells of something that is wrong, as a failed check. */
  readonly fails?: (output: OutputOf<Name>) => boolean;
  /** What is so after a wait that was broken off. */
  readonly onward?: string | ((typed: RowTyped, flags: string) => string);
  /** Tells what goes on meanwhile. Default: each line as it comes. */
  readonly hear?: (told: Heard, output: Output) => void;
  /** Answers what the operation asks. Default: nobody does. */
  readonly ask?: (shell: RowShell) => Waiting['ask'];
  /** Whether the config of the project is read. Default: where the command has `--store` or `--config`. */
  readonly readsConfig?: (typed: RowTyped) => boolean;
  /**
   * What is done before, beside and after the operation, such as to ask a person for what was not typed.
   * @param work carries it out, with more input
   * @returns the answer; undefined where a person left it open
   */
  readonly around?: (
    work: (more?: Partial<InputOf<Name>>) => Promise<OutputOf<Name>>,
    input: Partial<InputOf<Name>>,
    shell: RowShell,
  ) => Promise<OutputOf<Name> | undefined>;
}

export type Views = { readonly [Name in OperationName]?: () => Promise<View<Name>> };

const PLACE: Readonly<Record<PlaceFlag, OptionKind<unknown>>> = {
  ...PROJECT,
  ...KEY,
  taskQueue: TASK_QUEUE,
  timeout: duration('take no longer than this'),
};

/** @example rowCommand(row, views)() // the command `list` */
export function rowCommand(row: CommandRow, views: Views): () => Command {
  const [path, places] = wordsOf(row);
  const placed = places.map(([, field]) => field);
  const flags = [...row.fields, ...row.flags].filter((field) => !placed.includes(field)).flatMap(flagOf);
  const { does, more, example } = row;
  const says = does.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '');
  return defineCommand({
    name: path.at(-1)!,
    summary: says,
    description: more === undefined ? says : `${says}; ${more}`,
    examples: example === undefined ? [] : [`planwright ${example}`],
    arguments: Object.fromEntries(places.map(([name, field]) => [name, helpOf(field)])),
    flags: { ...Object.fromEntries(flags), ...Object.fromEntries((row.place ?? []).map((one) => [one, PLACE[one]])) },
    readsConfig: async (typed) => (await views[row.operation]?.())?.readsConfig?.(typed as RowTyped),
    run: async (typed, shell) => {
      const known = typed as RowTyped;
      const words = places.map(([name, field]) => [field.name, typed[name.replace('?', '')]] as const);
      return carryOut(row, views, { ...known, ...Object.fromEntries(words) }, shell);
    },
  });
}

/** The path of the command, and by the names of its arguments the fields: `{ node?: field }`. */
function wordsOf({ words, fields }: CommandRow): readonly [path: readonly string[], places: [string, Field][]] {
  const all = words.split(' ');
  const places = all.flatMap((one): [string, Field][] => {
    const name = /^[<[](.*)[>\]]$/.exec(one)?.[1];
    const field = fields.find((each) => dashed(each.name) === name || (name === 'file' && readsFile(each)));
    return field === undefined ? [] : [[`${name}${one.startsWith('[') ? '?' : ''}`, field]];
  });
  return [all.slice(0, all.length - places.length), places];
}

function helpOf(field: Field): string {
  return `${field.description ?? ''}${readsFile(field) ? ', or - for standard input' : ''}`;
}

/** None of a field that is not typed, or that no word can stand for. */
function flagOf(field: Field): readonly (readonly [string, OptionKind<unknown>])[] {
  const kind = kindOf(field);
  if (kind === undefined) return [];
  const { name, isRequired, from, default: initial } = field;
  const hasDefault = from !== 'flag' && ['string', 'number'].includes(typeof initial);
  const isMandatory = isRequired && from !== 'person' && from !== 'asked';
  return [[name, { ...kind, ...(hasDefault && { initial }), ...(isMandatory && { isRequired: true as const }) }]];
}

function kindOf({
  from,
  type,
  name,
  enum: choices,
  description = '',
  ...least
}: Field): OptionKind<unknown> | undefined {
  const word = dashed(name);
  if (from === 'none' || from === 'own-runs' || from === 'project' || from === 'columns') return undefined;
  if (from === 'flag' || type === 'boolean') return flag(description);
  if (from === 'words') return texts(word, description);
  if (from === 'person') return text('<name>', `${description} (default: your user name)`);
  if (from !== undefined && from !== 'asked') return text(from === 'json' ? '<json>' : '<file>', description);
  if (choices !== undefined) return choice(`<${word}>`, description, choices);
  if (type === 'string') return text(`<${word}>`, description);
  if (type === 'integer') return count(description, least.minimum ?? (least.exclusiveMinimum ?? -1) + 1);
  return type === 'array' ? names(`<${word}>`, description) : undefined;
}

async function carryOut(row: CommandRow, views: Views, typed: RowTyped, shell: RowShell): Promise<ExitName> {
  const view: View<OperationName> = (await views[row.operation]?.()) ?? {};
  const { readFields } = await import('./reading/index.ts');
  const input = { ...(await readFields(row.fields, typed, shell.output)), ...view.input?.(typed, shell) };
  const { hear = (told: Heard) => shell.output.note(told.text) } = view;
  const wait = waitOf(row, view, typed, shell);
  const waiting = { signal: wait?.signal, hear: (told: Heard) => hear(told, shell.output), ask: view.ask?.(shell) };
  try {
    const work = (more = {}) => shell.perform(row.operation, { ...input, ...more }, waiting);
    const given = await (view.around?.(work, input, shell) ?? work());
    return given === undefined ? 'waiting' : await show(row, view, given, shell);
  } finally {
    wait?.end();
  }
}

function waitOf(
  { place = [] }: CommandRow,
  { onward = 'type it again to go on' }: View<OperationName>,
  typed: RowTyped,
  { flags }: RowShell,
): Wait | undefined {
  if (!place.includes('timeout')) return undefined;
  const limit = timeLimit(typed);
  return startWait(limit, typeof onward === 'string' ? onward : onward(typed, flags));
}

/** What an answer says beside itself. */
interface Noted {
  readonly warnings: readonly PlanIssue[];
  readonly issues: readonly PlanIssue[];
  readonly seen: readonly string[];
}

async function show(
  { shows }: CommandRow,
  view: View<OperationName>,
  given: OutputOf<OperationName>,
  shell: RowShell,
): Promise<ExitName> {
  const { output } = shell;
  const { hides = [], lines, fails = () => false } = view;
  const isRight = !fails(given);
  const fields = Object.entries((await view.json?.(given, shell)) ?? given);
  const record = Object.fromEntries(fields.filter(([name]) => !hides.includes(name)));
  const told = () =>
    view.show?.(given, shell) ?? answerText(shows === undefined ? record : { ...given }, shows, output);
  const shown = output.format === 'text' ? await told() : '';
  const lists = lines?.filter((name) => name in record) ?? [];
  const listed = () => lists.flatMap((name) => record[name] as readonly unknown[]);
  output.print(
    view.isBare === true ? record : { ok: isRight, ...record },
    () => shown,
    lists.length === 0 ? undefined : listed,
  );
  for (const line of (await view.notes?.(given, shell)) ?? []) output.note(line);
  const { warnings = [], issues = [], seen = [] } = given as Partial<Noted>;
  for (const line of seen) output.note(`warning: ${visible(line)}`);
  noteIssues([...warnings, ...issues], output);
  return view.exit?.(given) ?? (isRight ? 'done' : 'badOutcome');
}
