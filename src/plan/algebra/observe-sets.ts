/** Observes inputs that make the answer of an operator look like a mistake: two sets that cannot meet. */

import { quote } from '../text/index.ts';
import type { SetOperator } from './combine-sets.ts';
import type { ResultSet } from './result-set.ts';

/**
 * Names of each side by which a guess is made: the first ones in order, where other spellings of them are as well.
 * @bound names of each side by which a note guesses
 * @beyond left out
 */
const GUESSED = 10_000;
/**
 * @bound names of each side that a note shows
 * @beyond counted
 */
const SHOWN = 3;

/**
 * Sentences about two sets that have nothing in common by which the operator could compare them: no sequence name, or no
 * id; with a guess at why, where there is one. If only some names are in both, names of one side alone are odd that seem
 * to be one sequence. Empty where nothing is odd, and for a set without records. A UNION takes any two sets; it is odd
 * where two names seem to be one sequence.
 *
 * @example observeSets('COLOCATE', onChr1, on1); // ['No sequence name is in both sets (left "chr1"; right "1"), ...']
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
  if (haveCommon(ours, theirs)) return someApart(ours, theirs);
  const guess = sameBut(ours, theirs, SEQUENCE_SPELLINGS);
  if (operator === 'UNION' && guess === '') return undefined;
  const so = operator === 'COLOCATE' ? ', so that no record can meet another' : '';
  const advice = guess === '' ? ' Look whether both are of one assembly.' : `${guess} ${RENAME}`;
  return `No sequence name is in both sets (${sides(ours, theirs)})${so}.${advice}`;
}

/** @example 'Some sequence names are on one side alone. "chrM" on the left may be "MT" on the right.' */
function someApart(ours: readonly string[], theirs: readonly string[]): string | undefined {
  const [left, right] = [new Set(ours), new Set(theirs)];
  const alone = [ours.filter((name) => !right.has(name)), theirs.filter((name) => !left.has(name))] as const;
  const guess = sameBut(...alone, SEQUENCE_SPELLINGS, SHOWN);
  if (guess === '') return undefined;
  return `Some sequence names are on one side alone, so that no record there can meet another.${guess} ${RENAME}`;
}

const RENAME = 'Rename the sequences of one side.';

function idsApart(operator: SetOperator, left: ResultSet, right: ResultSet): string | undefined {
  if (haveCommonSorted(left.ids, right.ids)) return undefined;
  const so = operator === 'INTERSECT' ? 'INTERSECT keeps nothing' : `${operator} takes nothing away`;
  const guess = sameBut(left.ids, right.ids, ID_SPELLINGS);
  const located = left.locations !== null && right.locations !== null;
  const places = located
    ? ` ${operator} compares ids, never places: COLOCATE keeps what overlaps, and with invert what does not.`
    : '';
  return `No id is in both sets (${sides(left.ids, right.ids)}), so ${so}.${guess}${places}`;
}

function haveCommon(ours: readonly string[], theirs: readonly string[]): boolean {
  const known = new Set(ours);
  return theirs.some((name) => known.has(name));
}

/** In time linear in the shorter way to the first common id. */
function haveCommonSorted(ours: readonly string[], theirs: readonly string[]): boolean {
  let [at, other] = [0, 0];
  while (at < ours.length && other < theirs.length) {
    if (ours[at] === theirs[other]) return true;
    if (ours[at]! < theirs[other]!) at += 1;
    else other += 1;
  }
  return false;
}

/** A way in which two spellings of one name may differ. */
type Spelling = (name: string) => string;

/** UCSC writes `chr1` and `chrM`, Ensembl and NCBI `1` and `MT`, others `chr01` and `MtDNA`. */
const SEQUENCE_SPELLINGS: readonly Spelling[] = [
  (name) =>
    name
      .toLowerCase()
      .replace(/^chr(?:omosome)?_?/, '')
      .replace(/^0+(?=\d)/, '')
      .replace(/^(?:m|mtdna|mito|mitochondri(?:on|a))$/, 'mt'),
  (name) => name.replace(/\.\d+$/, ''),
];

/** `gene:ENSG01` and `ENSG01`, `ENSG01.5` and `ENSG01`, `brca1` and `BRCA1`. */
const ID_SPELLINGS: readonly Spelling[] = [
  (name) => name.toLowerCase(),
  (name) => name.replace(/\.\d+$/, ''),
  (name) => name.replace(/^[A-Za-z_]+[:-]/, ''),
  (name) => name.replace(/^[A-Za-z_]+[:-]/, '').replace(/\.\d+$/, ''),
];

/**
 * A sentence for each of the first pairs of names that a spelling makes one, a space before it; `''` if none does.
 * @param most pairs
 */
function sameBut(ours: readonly string[], theirs: readonly string[], spellings: readonly Spelling[], most = 1): string {
  const found = new Map<string, string>();
  for (const spelling of spellings) {
    const known = new Map<string, string>();
    for (const name of ours.slice(0, GUESSED)) if (!known.has(spelling(name))) known.set(spelling(name), name);
    for (const name of theirs.slice(0, GUESSED)) {
      const same = known.get(spelling(name));
      if (same !== undefined && spelling(name) !== '' && found.size < most && !found.has(same)) found.set(same, name);
    }
  }
  return [...found].map(([left, right]) => ` ${quote(left)} on the left may be ${quote(right)} on the right.`).join('');
}

function sides(ours: readonly string[], theirs: readonly string[]): string {
  return `left ${some(ours)}; right ${some(theirs)}`;
}

function some(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).map(quote).join(', ')}${more}`;
}
