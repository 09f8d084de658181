/** An operation: one thing that can be done with plans, runs, conversations and results, in JSON. */

import type { z } from 'zod';
import type { JsonValue } from '../plan/index.ts';
import type { Question } from '../protocol/index.ts';
import type { Plans } from './plans.ts';

export type Z = typeof z;

/** The caller of a long operation. Every member is optional. */
export interface Waiting {
  /** Ends the wait with its reason; the run goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Gets progress. */
  readonly onProgress?: ((line: ProgressLine) => void) | undefined;
  /** Answers a question; undefined leaves it open. Without it every question stays open. */
  readonly ask?: ((question: Question) => Promise<JsonValue | undefined>) | undefined;
  /**
   * Bytes of a stored result to read; a larger one is REFUSED, with its handle as `large`. 0 returns the handle
   * alone.
   */
  readonly most?: number | undefined;
}

/** `is` distinguishes lines that look alike, such as stages of planning. */
export interface ProgressLine {
  readonly is: string;
  readonly text: string;
}

/**
 * How a typed text becomes a field's value. `asked`: by its type; at a terminal a person is asked. `none`: not typed,
 * like `columns`, `project` and `own-runs`.
 */
export type From =
  | 'approval'
  | 'asked'
  | 'columns'
  | 'deadline'
  | 'document'
  | 'duration'
  | 'file'
  | 'flag'
  | 'json'
  | 'none'
  | 'object'
  | 'own-runs'
  | 'person'
  | 'project'
  | 'source'
  | 'source-fields'
  | 'text-or-flag'
  | 'words';

// Optional fields by type.
export const textField = (zod: Z, about: string) => zod.string().optional().describe(about);
export const flagField = (zod: Z, about: string) => zod.boolean().optional().describe(about);
export const countField = (zod: Z, about: string, min = 1) => zod.int().min(min).optional().describe(about);
export const namesField = (zod: Z, about: string) => zod.array(zod.string()).readonly().optional().describe(about);
export const choiceField = <const One extends string>(zod: Z, choices: readonly One[], about: string) =>
  zod.enum(choices).optional().describe(about);

/** Flags that are not input: of the project, the signature, the wait. */
export type PlaceFlag = 'config' | 'demo' | 'store' | 'taskQueue' | 'key' | 'kid' | 'timeout';
export const IN_PROJECT = ['config', 'demo', 'store'] as const satisfies readonly PlaceFlag[];
/** Decisions and starts. */
export const MAY_ACT = { readOnly: false, destructive: true } as const;
export const SIGNED = ['key', 'kid'] as const satisfies readonly PlaceFlag[];

/**
 * How the text form shows a field: as a named value, by itself (text as it is or wrapped, or JSON), a plan as a tree,
 * or a list as a table with these columns.
 */
export type FieldForm = 'value' | 'text' | 'wrapped' | 'json' | 'tree' | readonly string[];

/** The command of an operation. Its flags and their help come from the input fields. */
export interface CommandSpec {
  /** As typed: `store gc`, or with positional fields `diff <before> <after>`. */
  readonly words: string;
  readonly example?: string;
  readonly place?: readonly PlaceFlag[];
  /** How fields and flags are read. Default: by their types; other types are not typed. */
  readonly from?: Readonly<Record<string, From>>;
  /** Flags that are not input: the form of the answer, or a field in other words. */
  readonly flags?: (zod: Z) => Readonly<Record<string, z.ZodType>>;
  /** For the help, after `does`: the meaning of the exit, for example. */
  readonly more?: string;
  /** Fields of the text form, in order. Default: all. */
  readonly shows?: Readonly<Record<string, FieldForm>>;
  /** Fields left out of the JSON form. */
  readonly hides?: readonly string[];
  /** Lists of the JSON form whose items are the lines of jsonl. Default: one line. */
  readonly lines?: readonly string[];
}

/** The tool of an operation for a host of MCP. Its parameters come from the input fields. */
export interface ForHost {
  /** Fields that the host may give. */
  readonly fields: readonly string[];
  /** Output fields left out, since a model reads the answer. */
  readonly hides?: readonly string[];
}

export interface Operation<Input, Output> {
  /** Absent: no command. */
  readonly command?: CommandSpec;
  /** Absent: no tool. The field `workflowId` names the run. */
  readonly host?: ForHost;
  /** A sentence for a person, or for a model that chooses a tool. */
  readonly does: string;
  /** Changes neither a run nor the store. */
  readonly readOnly: boolean;
  /** May have effects that cannot be undone, such as those of approved nodes. */
  readonly destructive: boolean;
  /** A function of zod, which takes longer to load than many operations. */
  readonly input: (zod: Z) => z.ZodType<Input>;
  /** @throws OperationError, and errors that `toOperationError` reads */
  run(plans: Plans, input: Input, waiting?: Waiting): Promise<Output>;
}

/** Declares an operation; its types are inferred. @param row `readOnly` defaults to true, `destructive` to false */
export function operation<Input, Output>(
  row: Omit<Operation<Input, Output>, 'readOnly' | 'destructive'> &
    Partial<Pick<Operation<Input, Output>, 'readOnly' | 'destructive'>>,
): Operation<Input, Output> {
  return { readOnly: true, destructive: false, ...row };
}
