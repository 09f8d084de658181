/** The one way in which arguments meet the schema of their capability: in a plan, at a call, and when a result has brought them. */

import type { z } from 'zod';
import { describe } from '../protocol/index.ts';
import { didYouMean, type ArgumentProblem, type JsonValue } from '../plan/index.ts';
import { listNames, quote } from '../plan/text/index.ts';
import { droppedKeys } from './dropped-keys.ts';

/** The arguments as the schema gives them, with its defaults; or all their problems. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[] };

/**
 * A key that the schema would drop is a problem: the capability must be given exactly the arguments that are shown and
 * approved.
 * @example readArguments(z.object({ q: z.number() }), { q: 1, current: 9 }); // a problem at ['current']
 */
export function readArguments(input: z.ZodType, args: JsonValue): ArgumentsRead {
  const parsed = input.safeParse(args);
  const problems = new Map<string, ArgumentProblem>();
  const add = (problem: ArgumentProblem) => problems.set(JSON.stringify([problem.path, problem.code]), problem);
  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) add(unknown([...path, key], []));
    else add(misfit(issue, path, args));
  }
  for (const { path, known } of droppedKeys(input, args)) add(unknown(path, known));
  if (problems.size > 0 || !parsed.success) return { ok: false, problems: [...problems.values()] };
  return { ok: true, value: parsed.data };
}

function misfit(issue: z.core.$ZodIssue, path: ArgumentProblem['path'], args: JsonValue): ArgumentProblem {
  const got = path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], args);
  const expected = 'expected' in issue ? String(issue.expected) : undefined;
  return { path, message: issue.message, got: describe(got), ...(expected !== undefined && { expected }) };
}

function unknown(path: ArgumentProblem['path'], known: readonly string[]): ArgumentProblem {
  const key = String(path.at(-1));
  const keys = known.length === 0 ? 'Take it out.' : `Use ${listNames(known)}, or take it out.`;
  return {
    code: 'unknown-argument',
    path,
    message: `${quote(key)} is no argument here.${didYouMean(key, known)} ${keys}`,
    got: key,
    ...(known.length > 0 && { expected: known }),
  };
}
