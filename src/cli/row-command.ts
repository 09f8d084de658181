import type { Command } from 'commander';
import type { ExitName, ProgressLine, InputOf, OperationName, OutputOf, Waiting } from '../operations/index.ts';
import type { PlanIssue } from '../plan/index.ts';
import { visible } from '../plan/text/index.ts';
import { declareCommand, inShell, type AnyRow, type ByHand, type Shell, type Typed } from './define-command.ts';
import { answerText, noteIssues } from './view/index.ts';
import type { Output } from './terminal/index.ts';
import { startWait, timeLimit, type TimedWait } from './wait.ts';

/** How a command differs from the default. */
export interface View<Name extends OperationName> {
  /**
   * Returns the operation that a flag selects in place of the command's own. The text output is then the answer's field
   * `url`.
   */
  readonly instead?: (typed: Typed) => OperationName | undefined;
  /** Input that people cannot type, for example because it depends on the output format. */
  readonly input?: (typed: Typed, shell: Shell) => Partial<InputOf<Name>>;
  /** Formats the answer as text. Default: the fields that the row shows. */
  readonly show?: (output: OutputOf<Name>, shell: Shell) => string | Promise<string>;
  /** What `--json` prints, without `ok`. Default: the answer. */
  readonly json?: (output: OutputOf<Name>, shell: Shell) => object | Promise<object>;
  readonly isBare?: true;
  /** Lines for stderr after the answer. The `warnings` or `issues` of the answer follow them. */
  readonly notes?: (output: OutputOf<Name>, shell: Shell) => readonly string[] | Promise<readonly string[]>;
  /** The exit code. Default: `done`, or `badOutcome` if `fails` says so. */
  readonly exit?: (output: OutputOf<Name>) => ExitName;
  /** Whether the answer reports a failure, such as a check that failed. */
  readonly fails?: (output: OutputOf<Name>) => boolean;
  /** Printed if the wait is interrupted: what continues, and how to return to it. */
  readonly onward?: string | ((typed: Typed, flags: string) => string);
  /** Prints a line of progress. Default: each line on stderr. */
  readonly onProgress?: (line: ProgressLine, output: Output) => void;
  readonly ask?: (shell: Shell) => Waiting['ask'];
  /** Whether the project's config is read. Default: true if the command has `--store` or `--config`. */
  readonly readsConfig?: (typed: Typed) => boolean;
  /**
   * Wraps the operation, for example to ask a person for missing input. @param work performs the operation with more
   * input @returns the answer; undefined if a person left the question open
   */
  readonly handle?: (
    work: (more?: Partial<InputOf<Name>>) => Promise<OutputOf<Name>>,
    input: Partial<InputOf<Name>>,
    shell: Shell,
  ) => Promise<OutputOf<Name> | undefined>;
}

export type Views = { readonly [Name in OperationName]?: () => Promise<View<Name>> };

export type Hands = { readonly [name: string]: () => Promise<Pick<ByHand<never>, 'run'>> };

export function rowCommand(row: AnyRow, views: Views, hands: Hands): Command {
  return declareCommand(row, async (typed) => {
    const hand = await hands[row.operation]?.();
    const view: View<OperationName> = (await views[row.operation as OperationName]?.()) ?? {};
    return inShell({ row, typed, readsConfig: view.readsConfig?.(typed) }, async (shell) => {
      const { readFields } = await import('./reading/index.ts');
      const input = await readFields(row.fields, typed, shell.output);
      const operation = view.instead?.(typed);
      if (operation !== undefined) return carryOut({ ...row, operation, shows: { url: 'text' } }, {}, input, shell);
      return hand === undefined ? carryOut(row, view, input, shell) : hand.run({ ...typed, ...input } as never, shell);
    });
  });
}

async function carryOut(row: AnyRow, view: View<OperationName>, read: object, shell: Shell): Promise<ExitName> {
  const { typed } = shell;
  const input = { ...read, ...view.input?.(typed, shell) };
  const { onProgress = (line: ProgressLine) => shell.output.note(line.text) } = view;
  const wait = waitOf(row, view, shell);
  const waiting = {
    signal: wait?.signal,
    onProgress: (line: ProgressLine) => onProgress(line, shell.output),
    ask: view.ask?.(shell),
  };
  try {
    const work = (more = {}) => shell.perform(row.operation as OperationName, { ...input, ...more }, waiting);
    const answer = await (view.handle?.(work, input, shell) ?? work());
    return answer === undefined ? 'waiting' : await show(row, view, answer, shell);
  } finally {
    wait?.end();
  }
}

function waitOf(
  { place = [] }: AnyRow,
  { onward = 'type it again to go on' }: View<OperationName>,
  { typed, flags }: Shell,
): TimedWait | undefined {
  if (!place.includes('timeout')) return undefined;
  return startWait(timeLimit(typed), typeof onward === 'string' ? onward : onward(typed, flags));
}

interface Noted {
  readonly warnings: readonly PlanIssue[];
  readonly issues: readonly PlanIssue[];
  readonly seen: readonly string[];
}

async function show(
  { shows, hides = [], lines = [] }: AnyRow,
  view: View<OperationName>,
  answer: OutputOf<OperationName>,
  shell: Shell,
): Promise<ExitName> {
  const { output } = shell;
  const isRight = view.fails?.(answer) !== true;
  // An answer may have thousands of items, so it is built only if it is printed.
  const isNeeded = output.format !== 'text' || (view.show ?? shows) === undefined;
  const fields = isNeeded ? Object.entries((await view.json?.(answer, shell)) ?? answer) : [];
  const record = Object.fromEntries(fields.filter(([name]) => !hides.includes(name)));
  const makeText = () =>
    view.show?.(answer, shell) ?? answerText(shows === undefined ? record : { ...answer }, shows, output);
  const text = output.format === 'text' ? await makeText() : '';
  const lists = lines.filter((name) => name in record);
  const listed = () => lists.flatMap((name) => record[name] as readonly unknown[]);
  output.print(
    view.isBare === true ? record : { ok: isRight, ...record },
    () => text,
    lists.length === 0 ? undefined : listed,
  );
  for (const line of (await view.notes?.(answer, shell)) ?? []) output.note(line);
  const { warnings = [], issues = [], seen = [] } = answer as Partial<Noted>;
  for (const line of seen) output.note(`warning: ${visible(line)}`);
  noteIssues([...warnings, ...issues], output);
  return view.exit?.(answer) ?? (isRight ? 'done' : 'badOutcome');
}
