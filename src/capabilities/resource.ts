/** The resource that an effect writes to, with one name in every plan: one of its writers runs at a time. */

import { describe } from '../protocol/index.ts';
import type { JsonValue, ResourceFound } from '../plan/index.ts';
import { messageOf } from '../plan/text/index.ts';

/** Visible and without spaces, since a plan's text shows it beside the effect. */
const NAME = /^[!-~]+$/;
const MAX_NAME = 200;
const EXPECTED = `a text of 1 to ${MAX_NAME} visible ASCII characters without spaces, such as "magnet-12"`;

/** What is wrong with a declared resource; a function can be checked only by its result. */
export function resourceProblem(resource: unknown, effect: unknown): string | undefined {
  if (resource === undefined) return undefined;
  if (effect === 'read') return 'its effect is read, and only what is written to is a resource; leave resource out';
  if (typeof resource === 'function') return undefined;
  return isName(resource)
    ? undefined
    : `its resource is ${EXPECTED}, or a function that returns one, not ${describe(resource)}`;
}

interface Writer {
  readonly name: string;
  readonly input: { safeParse(args: unknown): { readonly success: boolean; readonly data?: unknown } };
  readonly resource?: string | ((args: never) => unknown);
}

/** @param isWhole false if the arguments still lack the result of another step */
export function findResource(
  { name, input, resource }: Writer,
  args: JsonValue | undefined,
  isWhole: boolean,
): ResourceFound {
  if (resource === undefined) return { ok: true };
  if (typeof resource === 'string') return { ok: true, resource };
  const about = `what ${name} writes to is said by its arguments`;
  if (!isWhole) {
    const what = 'one of them is the result of another step, which nobody knows yet';
    return { ok: false, reason: `${about}, and ${what}; write it out in the plan` };
  }
  const checked = input.safeParse(args ?? {});
  // The check of arguments reports those that do not fit.
  if (!checked.success) return { ok: true };
  try {
    const found: unknown = resource(checked.data as never);
    if (isName(found)) return { ok: true, resource: found };
    return { ok: false, reason: `${about}: expected ${EXPECTED}, got ${describe(found)}; mend its resource` };
  } catch (error) {
    return { ok: false, reason: `${about}, and its resource threw for these: ${messageOf(error)}; mend it` };
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME && NAME.test(value);
}
