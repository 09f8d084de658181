/** Asks a tool whether an effect of another tool of its server happened, as configured by `verify`. */

import { z } from 'zod';
import type { TaskContext, WorkCapability } from '../../index.ts';
import { canonicalJson, exactJson, type JsonValue } from '../../../plan/index.ts';
import { listNames, quote } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { toolNameOf } from '../tools/tool-schema.ts';

const A_VALUE = "expected a text, a number, true, false, { from: 'idempotencyKey' } or { from: 'arguments.NAME' }";
const A_PLACE = 'expected a place in the answer, such as "payments.0.id"';
const A_CONDITION = 'expected one or more of at, is (a list of values) and contains (a text)';
const A_TEXT =
  "expected a text or { from: 'idempotencyKey' }: another value may be part of a longer one; compare it with is";
const from = z.strictObject({ from: z.string().regex(/^(idempotencyKey|arguments(\.[^.]+)+)$/, A_VALUE) });
const value = z.union([z.string().min(1, A_VALUE), z.number(), z.boolean(), from], A_VALUE);
const partText = z.union([z.string().min(1, A_TEXT), z.strictObject({ from: z.literal('idempotencyKey') })], A_TEXT);
const place = z.string(A_PLACE).regex(/^[^.]+(\.[^.]+)*$/, A_PLACE);
const literal = z.json().refine((one) => !isRecord(one) || !('from' in one));
const condition = z
  .strictObject(
    {
      at: place.optional(),
      is: z
        .array(z.union([from, literal], A_VALUE), A_CONDITION)
        .min(1, A_CONDITION)
        .readonly()
        .optional(),
      contains: partText.optional(),
    },
    A_CONDITION,
  )
  .refine((one) => Object.keys(one).length > 0, A_CONDITION);
const A_MATCH = 'expected { happened, notHappened?, result? }';

const verification = {
  /** The name of the tool, which the server's `read` must list. */
  tool: z.string().min(1),
  /** The tool's arguments: values, `{ from: 'idempotencyKey' }`, or `{ from: 'arguments.NAME' }` of the task. */
  arguments: z.record(z.string(), value).readonly().optional(),
  /** Which answers mean `happened` and `notHappened`, and where the `result` is, by default the whole answer. */
  match: z.strictObject({ happened: condition, notHappened: condition.optional(), result: place.optional() }, A_MATCH),
};
export const verifySettings = z.strictObject(verification, 'expected { tool, arguments?, match }');
/** How a tool that only reads tells whether an effect of another tool happened. */
export type VerifySettings = z.input<typeof verifySettings>;

type Found = { readonly happened: true; readonly result: JsonValue | undefined } | { readonly happened: false };

/**
 * Asks the tool. If the answer meets neither condition or both, it is inconclusive.
 * @throws Error without an answer, or if the task lacks an argument
 */
export async function verifyByTool(
  { arguments: args = {}, match }: VerifySettings,
  reader: WorkCapability,
  { idempotencyKey, arguments: given, signal }: TaskContext<Record<string, JsonValue>>,
): Promise<Found | undefined> {
  const task: JsonValue = { idempotencyKey, arguments: given };
  const asked = Object.fromEntries(Object.entries(args).map(([name, one]) => [name, valueOf(one, task)]));
  const answer = (await reader.execute({ arguments: asked, signal, heartbeat: () => undefined } as never)) as JsonValue;
  // Many tools write their structure as text.
  const read = (typeof answer === 'string' ? (exactJson(answer) as JsonValue | undefined) : undefined) ?? answer;
  const holds = ({ at, is, contains }: z.input<typeof condition>) => {
    const found = at === undefined ? read : valueAt(read, at);
    if (found === undefined) return false;
    const text = contains === undefined ? '' : resultText(valueOf(contains, task));
    if (contains !== undefined && (text === '' || typeof found !== 'string' || !found.includes(text))) return false;
    const isOne = (one: JsonValue) => canonicalJson(valueOf(one, task)) === canonicalJson(found);
    return is === undefined ? found !== null : is.some(isOne);
  };
  const { happened, notHappened, result } = match;
  const isDone = holds(happened);
  if (isDone === (notHappened !== undefined && holds(notHappened))) return undefined;
  return isDone
    ? { happened: true, result: result === undefined ? answer : valueAt(read, result) }
    : { happened: false };
}

function valueOf(one: JsonValue, task: JsonValue): JsonValue {
  if (!from.safeParse(one).success) return one;
  const path = (one as { readonly from: string }).from;
  const found = valueAt(task, path);
  if (found === undefined) throw new Error(`the task has no ${path}`);
  return found;
}

function resultText(result: JsonValue): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

function valueAt(whole: JsonValue, path: string): JsonValue | undefined {
  let at: unknown = whole;
  for (const part of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at as JsonValue;
}

/** The verifiers by tool. @throws Error that names the setting, the problem, and what to do */
export function verifyOf(
  server: string,
  verify: { readonly [tool: string]: VerifySettings },
  read: readonly string[],
  tools: readonly unknown[],
): ReadonlyMap<string, VerifySettings> {
  const schemas = new Map(
    tools.map((tool) => [String(toolNameOf(tool)), isRecord(tool) ? tool['inputSchema'] : undefined]),
  );
  const has = `the server has ${listNames([...schemas.keys()]) || 'no tools'}`;
  for (const [own, { tool, arguments: args = {}, match }] of Object.entries(verify)) {
    const [ofTool, ofOwn] = [namesIn(schemas.get(tool)), namesIn(schemas.get(own))];
    const unknown = Object.keys(args).find((name) => ofTool?.includes(name) === false);
    const texts = JSON.stringify([args, match]).matchAll(/"from":"arguments\.([^."]+)/g);
    const absent = [...texts].map(([, name = '']) => name).find((name) => ofOwn?.includes(name) === false);
    const problem =
      (!schemas.has(own) && `: there is no such tool; ${has}`) ||
      (!schemas.has(tool) && `.tool: there is no ${quote(tool)}; ${has}`) ||
      (read.includes(own) && ': read lists this tool, and a read is repeated; take it out of one of the two') ||
      (!read.includes(tool) &&
        `.tool: expected a tool that only reads, got ${quote(tool)}; if it changes nothing, add it to read`) ||
      (unknown !== undefined && `.arguments: ${quote(tool)} takes ${listNames(ofTool!)}, not ${quote(unknown)}`) ||
      (absent !== undefined && `: arguments.${absent}: ${quote(own)} takes ${listNames(ofOwn!)}`);
    if (problem !== false) throw new Error(`mcp.${server}.verify.${own}${problem}`);
  }
  return new Map(Object.entries(verify));
}

function namesIn(schema: unknown): readonly string[] | undefined {
  return isRecord(schema) && isRecord(schema['properties']) ? Object.keys(schema['properties']) : undefined;
}
