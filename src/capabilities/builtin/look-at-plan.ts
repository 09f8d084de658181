/** Checks what the tasks of a plan name, such as files, before people approve the plan. */

import { createHash } from 'node:crypto';
import { aborted, given, nodeIndex, timeoutSignal, UNSEEN_STATE, type Preview } from '../../protocol/index.ts';
import {
  canonicalJson,
  findReferences,
  type Catalogue,
  type CompiledPlan,
  type Executor,
  type JsonValue,
  type TaskNode,
} from '../../plan/index.ts';
import { counted, cutCharacters, messageOf, oneLine, visible } from '../../plan/text/index.ts';
import { CapabilityError, readArguments, type Capability, defineCapability } from '../index.ts';
import type { CapabilityRegistry } from './registry.ts';
import { z } from 'zod';

const MAX_NOTE = 8000;

/**
 * Stores a note, which becomes the result of the task (VentureScope: reflect).
 * @example defineConfig({ capabilities: [reflect] });
 */
export const reflect = defineCapability({
  name: 'reflect',
  description: 'Writes down a note: what was found out, what is missing, what to try next.',
  guide: {
    when: 'Nothing is to be done right now, and what was learnt should stand in one place before the next step.',
    examples: ['reflect { "note": "Both sources count households, not people. Ask for the size of a household." }'],
  },
  input: z.strictObject({
    note: z
      .string()
      .max(MAX_NOTE)
      .refine((note) => note.trim() !== '', 'expected a text that is not blank'),
  }),
  output: 'text',
  effect: 'read',
  usesGoal: false,
  execute: (task) => task.arguments.note.trim(),
});

const LOOK_MS = 30_000;
/** Strangers may have written the text, and a model that had read it could copy it into its plan. */
const HIDDEN = 'what it names cannot be used as it is; name another, or let a person look at it';
const UNSEEN_PREVIEW: Preview = { state: UNSEEN_STATE, rows: ['could not be looked at'] };
/** The preview of a task whose arguments are results of other steps. */
const LATER: Seen = { preview: { state: UNSEEN_STATE, rows: ['is looked at once its arguments are there'] } };
const MAX_TEXT = 1000;

export interface LookedPlan {
  readonly warnings?: Readonly<Record<number, string>>;
  readonly previews?: Readonly<Record<number, Preview>>;
  /** A catalogue that rejects the tasks that would fail. Compiling with it gives an issue at the place of each. */
  readonly refusing?: Catalogue;
}

/**
 * Calls `look` of every capability in the plan, within 30 s for all, and returns the problems and warnings.
 * @param isDone says which tasks to leave out, because they have run or are approved; `isHidden`: of which tasks the
 * texts are left out
 * @example const { refusing, warnings } = await lookAtPlan(plan, executors, registry, signal);
 */
export async function lookAtPlan(
  plan: CompiledPlan,
  executors: Readonly<Record<string, Executor>>,
  registry: CapabilityRegistry,
  signal: AbortSignal,
  { isDone, isHidden }: { readonly [Is in 'isDone' | 'isHidden']?: (task: TaskNode) => boolean } = {},
): Promise<LookedPlan> {
  const written = Object.values(executors).flatMap(({ resource }) => resource ?? []);
  const over = AbortSignal.any([signal, timeoutSignal(LOOK_MS)]);
  const seen = new Map<string, Seen>();
  let warnings: Record<number, string> | undefined;
  let previews: Record<number, Preview> | undefined;
  for (const task of plan.tasks) {
    const { arguments: args = {}, id } = task;
    const executor = executors[id];
    const capability = executor?.kind === 'capability' ? registry.capability(executor.name) : undefined;
    if (executor === undefined || capability?.look === undefined || isDone?.(task)) continue;
    const isLater = findReferences(args).some(({ whole }) => whole);
    if (isLater && capability.effect === 'read') continue;
    const key = keyOf(executor, args);
    const found = isLater ? LATER : (seen.get(key) ?? (await look(capability, args, written, over)));
    signal.throwIfAborted();
    seen.set(key, found.problem !== undefined && isHidden?.(task) === true ? { ...found, problem: HIDDEN } : found);
    if (found.warning !== undefined) (warnings ??= {})[nodeIndex(id)] = found.warning;
    if (found.preview !== undefined) (previews ??= {})[nodeIndex(id)] = found.preview;
  }
  const looked = given({ warnings, previews });
  if (![...seen.values()].some(({ problem }) => problem !== undefined)) return looked;
  const checkArguments: Catalogue['checkArguments'] = (executor, args) => {
    const message = seen.get(keyOf(executor, args ?? {}))?.problem;
    return [...registry.checkArguments(executor, args), ...(message === undefined ? [] : [{ path: [], message }])];
  };
  return { ...looked, refusing: { ...registry, checkArguments } };
}

interface Seen {
  readonly problem?: string;
  readonly warning?: string;
  readonly preview?: Preview;
}

const MAX_ROWS = 20;
const MAX_ROW = 200;
const LOOKED = z.union([
  z.array(z.string()),
  z.strictObject({
    // oxlint-disable-next-line unicorn/no-thenable -- a text, which nothing awaits
    shows: z.array(z.strictObject({ what: z.string(), now: z.string(), then: z.string() })),
    state: z.json(),
    warnings: z.array(z.string()).optional(),
  }),
]);

/**
 * Calls `look` of a capability. After its time limit the call is abandoned, even if it ignores its signal.
 * @throws TypeError if the function returns neither warnings nor a preview, and any error that it throws
 */
export async function takeLook(
  { name, effect, look: own }: Pick<Capability, 'name' | 'effect' | 'look'>,
  args: unknown,
  written: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly warnings: readonly string[]; readonly preview?: Preview }> {
  const looking = async () => own?.({ arguments: args as never, written, signal });
  const read = LOOKED.safeParse((await Promise.race([aborted(signal), looking()])) ?? []);
  if (!read.success) throw new TypeError(`the look of ${name} returned what is neither warnings nor { shows, state }`);
  if (Array.isArray(read.data)) return { warnings: read.data };
  const { shows, state, warnings = [] } = read.data;
  if (effect === 'read') return { warnings };
  const rows = shows
    .slice(0, MAX_ROWS)
    .map(({ what, now, then }) => cutCharacters(visible(oneLine(`${what}  ${now} -> ${then}`)), MAX_ROW));
  const more = shows.length - rows.length;
  if (more > 0) rows[MAX_ROWS - 1] = `and ${counted(more + 1, 'more row')}`;
  const hash = createHash('sha256').update(canonicalJson(state)).digest('base64url');
  return { warnings, preview: { state: hash, rows } };
}

function keyOf({ kind, name }: Executor, args: JsonValue): string {
  return canonicalJson([kind, name, args]);
}

const UNSTABLE = 'differs between two looks in a row, so that its effect would always ask again; mend its look';

async function look(
  capability: Capability,
  args: JsonValue,
  written: readonly string[],
  over: AbortSignal,
): Promise<Seen> {
  const { name, input, effect } = capability;
  const brief = (text: string) => cutCharacters(oneLine(text), MAX_TEXT);
  try {
    over.throwIfAborted();
    const read = readArguments(input, args);
    if (!read.ok) return {};
    const { warnings, preview } = await takeLook(capability, read.value, written, over);
    const again = preview && (await takeLook(capability, read.value, written, over)).preview;
    const all = again?.state === preview?.state ? warnings : [...warnings, `the preview of ${name} ${UNSTABLE}`];
    return given({ preview, warning: all.length === 0 ? undefined : brief(all.join('; ')) });
  } catch (error) {
    if (error instanceof CapabilityError && error.errorClass !== 'RETRIABLE') return { problem: brief(error.message) };
    const why = over.aborted ? `looks at a plan have ${LOOK_MS / 1000} s` : messageOf(error);
    const preview = effect === 'read' ? undefined : UNSEEN_PREVIEW;
    return { ...given({ preview }), warning: brief(`${name} could not look at it before it runs: ${why}`) };
  }
}
