/** The capabilities of a project: the declaration of each. */

import { z } from 'zod';
import type { Effect } from '../plan/index.ts';
import type { Result } from '../store/index.ts';
import type { CapabilityRetry, CapabilityTimeouts, ResultValues, TaskContext } from './task-context.ts';
import { resourceProblem } from './resource.ts';
import { describe, type Question, type ResultKind } from '../protocol/index.ts';
import { count, declarationProblem, isWords, objectOf } from './read-arguments.ts';

interface Declared<Input extends z.ZodType, Kind extends ResultKind, Name extends string> {
  /** Letters, digits, `.`, `_` and `-`. */
  readonly name: Name;
  /** Changes when the meaning of the result changes. Default `1`. */
  readonly version: string;
  /** One sentence that a planner and a person choose by. */
  readonly description: string;
  /**
   * The stranger who wrote the description and the names of its arguments, such as `MCP server files`: models are told them as data,
   * between marks. Default: the project wrote them.
   */
  readonly describedBy?: string;
  readonly input: Input;
  readonly output: Kind;
  readonly effect: Effect;
  /**
   * With `false` it is not given the goal: its approval, and its result, hold when the goal of a plan is edited.
   * Default: it is given the goal, and an edited goal asks again.
   */
  readonly usesGoal?: boolean;
  readonly timeout: CapabilityTimeouts;
  readonly retry: CapabilityRetry;
  /** The cost of one execution, in a unit of the project's own; approval rules with `minCost` look at it. */
  readonly cost?: number;
  /**
   * What it reads when it works and no approval binds, such as `files below ./data`, named to whoever approves an effect of it: at
   * most 5 texts of 1 to 80 characters. Default: nothing is named.
   */
  readonly reads?: readonly string[];
  /** Context types it needs and gives, for planners. */
  readonly requires: readonly string[];
  readonly provides: readonly string[];
  /** For planners and agents: when it is the right one, and examples of its use (Osprey: capability guides). */
  readonly guide?: CapabilityGuide;
  /** Every plan may use it, whatever the task: the planner does not ask whether it is needed (Osprey: always active). */
  readonly alwaysActive?: boolean;
  /**
   * Looks at what the arguments name, such as a file, before anybody is asked about the plan, changes nothing and gives warnings.
   * `written` are the resources that tasks of this plan write to. All looks at a plan have 30 s.
   * @throws CapabilityError, not `RETRIABLE`, where the task would fail: its plan is refused; any other error is a warning
   */
  readonly look?: Looking<never>;
  /**
   * Says how what a result of it was read from, or written to, differs by now, such as `a.bed has changed`; undefined if
   * it does not. A run that goes on from a closed one then runs a read again, and says so of an effect, which stays done.
   */
  changedSince?(result: Result, signal: AbortSignal): Promise<string | undefined>;
}

/** Advice for a model that plans: when the capability fits, and how steps use it. */
export interface CapabilityGuide {
  /** One or two sentences. */
  readonly when: string;
  /** Steps or arguments as a plan would have them, each a text. */
  readonly examples?: readonly string[];
}

/** The type of a method, as that of `execute` is: a list can hold capabilities of any arguments. */
type Naming<Given> = { of(given: Given): string }['of'];

type LookContext<Given> = Pick<TaskContext<Given>, 'arguments' | 'signal'> & { readonly written: readonly string[] };
type Looking<Given> = { of(context: LookContext<Given>): Promise<readonly string[]> }['of'];

/** A capability that does its task by itself. */
export interface WorkCapability<
  Input extends z.ZodType = z.ZodType,
  Kind extends ResultKind = ResultKind,
  Name extends string = string,
> extends Declared<Input, Kind, Name> {
  readonly kind?: never;
  /**
   * The resource that an effect above read writes to, such as `magnet-12`, or how its arguments say that. 1 to 200
   * visible ASCII characters without spaces. If several nodes of a run write to the same, one is at work at a time.
   * Default: any number are.
   */
  readonly resource?: string | Naming<z.output<Input>>;
  /**
   * Each node has an activity of its own, and no part: for work of minutes, work that is bought, and work that may end or block its
   * process. Default false; always so for an effect above read.
   */
  readonly alone?: boolean;
  /**
   * Its version as it is now, for one that can change while its worker runs. Asked right before each attempt begins: where it is not the
   * approved one the attempt does not begin (`CapabilityChanged`). Default: `version`.
   */
  versionNow?(signal: AbortSignal): Promise<string>;
  /** A method, so that a list can hold capabilities of any arguments; the registry parses them before the call. */
  execute(task: TaskContext<z.output<Input>>): Promise<ResultValues[Kind]> | ResultValues[Kind];
}

/** A capability that asks a person. The answer becomes the result, of the kind that `output` names; of a set, a list of ids. */
export interface WaitCapability<
  Input extends z.ZodType = z.ZodType,
  Kind extends ResultKind = ResultKind,
  Name extends string = string,
> extends Declared<Input, Kind, Name> {
  readonly kind: 'wait';
  readonly effect: 'read';
  execute(task: TaskContext<z.output<Input>>): Promise<Question> | Question;
}

/** A capability of a project: one that does its task by itself, or one that asks a person (`kind: 'wait'`). */
export type Capability<
  Input extends z.ZodType = z.ZodType,
  Kind extends ResultKind = ResultKind,
  Name extends string = string,
> = WorkCapability<Input, Kind, Name> | WaitCapability<Input, Kind, Name>;

/** A field that has a default may be left out. */
type Optional = 'version' | 'timeout' | 'retry' | 'requires' | 'provides';

/**
 * The declarations of both kinds in one, told apart by `kind`: a compiler that has one signature says of a wrong
 * `execute` what it should return; with two it would say that of the one that was not meant.
 */
interface Declaration<Input extends z.ZodType, Kind extends ResultKind, Name extends string, Asks extends Asking>
  extends
    Omit<WorkCapability<Input, Kind, Name>, Optional | 'kind' | 'effect' | 'look' | 'execute'>,
    Partial<Pick<Declared<Input, Kind, Name>, Optional>> {
  /** Absent for a capability that does its task by itself. */
  readonly kind?: Asks;
  /** Its effect on the world; `read` for one that asks a person. */
  readonly effect: [Asks] extends [undefined] ? Effect : 'read';
  readonly look?: Looking<z.output<Input>>;
  execute(
    task: TaskContext<z.output<Input>>,
  ): [Asks] extends [undefined] ? Promise<ResultValues[Kind]> | ResultValues[Kind] : Promise<Question> | Question;
}

type Asking = 'wait' | undefined;
type AnyDeclaration =
  | Declaration<z.ZodType, ResultKind, string, 'wait'>
  | Declaration<z.ZodType, ResultKind, string, undefined>;

const NAME = /^[A-Za-z][\w.-]{0,79}$/;
const MAX_READS = 5;
const MAX_READ = 80;

/**
 * Declares a capability. With `kind: 'wait'` it asks a person: its `execute` returns the question.
 * @throws TypeError when the declaration contradicts itself; it is a mistake of the program, found at its start.
 * @example
 * const square = defineCapability({
 *   name: 'square',
 *   description: 'The square of a number.',
 *   input: z.object({ of: z.number() }),
 *   output: 'value',
 *   effect: 'read',
 *   execute: (task) => task.arguments.of ** 2,
 * });
 */
export function defineCapability<
  Input extends z.ZodType,
  Kind extends ResultKind,
  Name extends string,
  Asks extends Asking = undefined,
>(
  declaration: Declaration<Input, Kind, Name, Asks>,
): [Asks] extends [undefined] ? WorkCapability<Input, Kind, Name> : WaitCapability<Input, Kind, Name>;
export function defineCapability(declaration: AnyDeclaration): Capability {
  const { name, retry = {} } = declaration;
  if (!NAME.test(name)) {
    throw new TypeError(`capability ${JSON.stringify(name)}: a name is letters, digits, ".", "_" and "-", at most 80`);
  }
  const problem = contradiction(declaration);
  if (problem !== undefined) throw new TypeError(`capability ${name}: ${problem}`);
  return { version: '1', timeout: {}, requires: [], provides: [], ...declaration, retry } as Capability;
}

const flag = z.boolean('is true or false').optional();
const COST = 'is a finite number from 0';
const FACTOR = 'is a number from 1';
const READS = `is a list of at most ${MAX_READS} texts of 1 to ${MAX_READ} characters`;
const isRead = (one: unknown) => isWords(one) && one.length <= MAX_READ;
/** The parts that can be checked before the capability is used. */
const DECLARATION = z.looseObject({
  kind: z.literal('wait', 'is "wait" or absent').optional(),
  cost: z.number(COST).min(0, COST).optional(),
  reads: z
    .custom((value) => Array.isArray(value) && value.length <= MAX_READS && value.every(isRead), READS)
    .optional(),
  alwaysActive: flag,
  alone: flag,
  // The server refuses a command with a bad bound, and the run would stand still.
  timeout: z
    .strictObject(
      { startToCloseMs: count, heartbeatMs: count } satisfies Record<keyof CapabilityTimeouts, z.ZodType>,
      objectOf('startToCloseMs?, heartbeatMs?'),
    )
    .optional(),
  retry: z
    .strictObject(
      {
        attempts: count,
        initialMs: count,
        factor: z.number(FACTOR).min(1, FACTOR).optional(),
      } satisfies Record<keyof CapabilityRetry, z.ZodType>,
      objectOf('attempts?, initialMs?, factor?'),
    )
    .optional(),
  // A blank field would stand in a prompt as a heading with nothing below it.
  guide: z
    .strictObject(
      {
        when: z.custom(isWords, 'is a text that is not blank'),
        examples: z.array(z.custom(isWords, 'is a text that is not blank'), 'is a list of texts').optional(),
      } satisfies Record<keyof CapabilityGuide, z.ZodType>,
      objectOf('when, examples?'),
    )
    .optional(),
});

/** Declarations in plain JavaScript are not held to their types. */
function contradiction(declaration: AnyDeclaration): string | undefined {
  const { kind, retry } = declaration;
  const { resource, effect }: { readonly resource?: unknown; readonly effect: Effect } = declaration;
  if (effect === 'at-most-once' && (retry?.attempts ?? 1) !== 1) {
    return `an at-most-once capability has one attempt, not ${retry?.attempts}`;
  }
  const problem = declarationProblem(DECLARATION, declaration) ?? resourceProblem(resource, effect);
  if (problem !== undefined || kind !== 'wait' || effect === 'read') return problem;
  return `it asks a person, so its effect is read, not ${describe(effect)}; let a later task do what the answer says`;
}
