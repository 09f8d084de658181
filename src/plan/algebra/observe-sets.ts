/** Finds pairs of sets that cannot have common records, which usually means that an operator has wrong inputs. */

import { quote } from '../text/index.ts';
import type { ResultSet } from './result-set.ts';
import { combineByMerge, KEEPS, type BooleanOperator, type CombinedSet } from './boolean-operators.ts';
import { colocate, COLOCATE_DEFAULTS, type ColocateParameters } from './colocate.ts';

export const SET_OPERATORS = [...(Object.keys(KEEPS) as BooleanOperator[]), 'COLOCATE'] as const;

/** The name of a set operator: `UNION`, `INTERSECT`, `MINUS`, `RMINUS`, or `COLOCATE`, which compares locations. */
export type SetOperator = (typeof SET_OPERATORS)[number];

/**
 * Applies a set operator to two sets. `parameters` are for COLOCATE only; by default, left records that overlap a right
 * record are returned. If the sets do not fit, `message` says why and what to do.
 * @example
 * const combined = combineSets('MINUS', genes, repeats);
 * if (combined.ok) console.log(combined.set.ids);
 * else console.error(combined.message);
 */
export function combineSets(
  operator: SetOperator,
  left: ResultSet,
  right: ResultSet,
  parameters?: ColocateParameters,
): CombinedSet {
  if (operator === 'COLOCATE') return colocate(left, right, parameters ?? COLOCATE_DEFAULTS);
  if (parameters !== undefined) {
    return {
      ok: false,
      message: `${operator} takes no window and no strand rule; only COLOCATE does. Leave them out.`,
    };
  }
  return combineByMerge(operator, left, right);
}

const GUESSED = 10_000;
const SHOWN = 3;

/**
 * Sentences about two sets that share no sequence name or no id, each with a guess why; empty if nothing looks wrong. A
 * UNION takes any sets, so it gets one only if two names seem to be one sequence.
 */
export function observeSets(operator: SetOperator, left: ResultSet, right: ResultSet): readonly string[] {
  if (left.ids.length === 0 || right.ids.length === 0) return [];
  const found = [sequencesApart(operator, left, right)];
  if (operator !== 'UNION' && operator !== 'COLOCATE') found.push(idsApart(operator, left, right));
  return found.filter((one) => one !== undefined);
}

function sequencesApart(operator: SetOperator, left: ResultSet, right: ResultSet): string | undefined {
  const [ours, theirs] = [left.locations?.sequences ?? [], right.locations?.sequences ?? []];
  if (ours.length === 0 || theirs.length === 0) return undefined;
  const [known, others] = [new Set(ours), new Set(theirs)];
  const unmatched = ours.filter((name) => !others.has(name));
  const hasCommon = unmatched.length < ours.length;
  const guess = guessOf(
    unmatched,
    theirs.filter((name) => !known.has(name)),
  );
  if (guess === '' && (hasCommon || operator === 'UNION')) return undefined;
  const what = hasCommon
    ? 'Some sequence names are on one side alone, so that no record there can meet another'
    : `No sequence name is in both sets (${sides(ours, theirs)})`;
  const so = operator === 'COLOCATE' && !hasCommon ? ', so that no record can meet another' : '';
  return `${what}${so}.${guess === '' ? ' Look whether both are of one assembly.' : `${guess} Rename the sequences of one side.`}`;
}

function idsApart(operator: SetOperator, left: ResultSet, right: ResultSet): string | undefined {
  if (haveCommonSorted(left.ids, right.ids)) return undefined;
  const so = operator === 'INTERSECT' ? 'INTERSECT keeps nothing' : `${operator} takes nothing away`;
  const isLocated = left.locations !== null && right.locations !== null;
  const places = isLocated
    ? ` ${operator} compares ids, never places: COLOCATE keeps what overlaps, and with invert what does not.`
    : '';
  return `No id is in both sets (${sides(left.ids, right.ids)}), so ${so}.${guessOf(left.ids, right.ids)}${places}`;
}

function haveCommonSorted(ours: readonly string[], theirs: readonly string[]): boolean {
  let [at, other] = [0, 0];
  while (at < ours.length && other < theirs.length) {
    if (ours[at] === theirs[other]) return true;
    if (ours[at]! < theirs[other]!) at += 1;
    else other += 1;
  }
  return false;
}

/**
 * Guesses which names mean the same, because they differ only in case, in a prefix (`chr1` and `1`, `gene:g1` and
 * `g1`), in a version (`g1.5` and `g1`), or as `chrM` and `MT` do.
 */
function guessOf(ours: readonly string[], theirs: readonly string[]): string {
  const spelt = (name: string) =>
    name
      .toLowerCase()
      .replace(/^(?:[a-z_]+[:-]|chr(?:omosome)?_?)/, '')
      .replace(/\.\d+$/, '')
      .replace(/^0+(?=\d)/, '')
      .replace(/^m$/, 'mt');
  const known = new Map(ours.slice(0, GUESSED).map((name) => [spelt(name), name]));
  const found = new Map<string, string>();
  for (const name of theirs.slice(0, GUESSED)) {
    const same = known.get(spelt(name));
    if (same !== undefined && spelt(name) !== '' && found.size < SHOWN && !found.has(same)) found.set(same, name);
  }
  return [...found].map(([left, right]) => ` ${quote(left)} on the left may be ${quote(right)} on the right.`).join('');
}

function sides(ours: readonly string[], theirs: readonly string[]): string {
  return `left ${firstNames(ours)}; right ${firstNames(theirs)}`;
}

function firstNames(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).map(quote).join(', ')}${more}`;
}
