/** The set operators. If an operator is missing here or in src/plan/algebra, that is a type error. */

import { COLOCATE_DEFAULTS } from '../algebra/index.ts';
import { colocatePhrase } from '../colocate/index.ts';
import type { Colocate, NodeId, Operator, Side } from '../compiled-plan.ts';
import { didYouMean } from '../issues/index.ts';

/** What the name of an operator means: one operator, two possible operators, or none. */
export type OperatorReading =
  | { readonly kind: 'operator'; readonly operator: Operator }
  | { readonly kind: 'ambiguous'; readonly message: string }
  /** The hint begins with a space and suggests a name; it is empty if no name is similar. */
  | { readonly kind: 'unknown'; readonly hint: string };

export interface OperatorFacts {
  /** Other accepted names, in capitals and with `_` in place of `-` and spaces. */
  readonly aliases: readonly string[];
  /** Whether the two operands can be exchanged. */
  readonly symmetric: boolean;
  /** The side whose records are in the result. `output`: the side that the parameter `output` names. */
  readonly keptSide: Side | 'both' | 'output';
  readonly located: boolean;
  readonly gloss: string;
  /** Describes the result of two sets with these names, as part of a sentence. */
  readonly phrase: (left: string, right: string, colocate?: Colocate) => string;
  readonly defaultName: (left: NodeId, right: NodeId, colocate?: Colocate) => string;
}

/**
 * The set operators. In MINUS_LEFT and MINUS_RIGHT of VEuPathDB and Pathfinder, the suffix names the side that stays.
 * @example OPERATORS.MINUS.gloss; // 'in left, not in right'
 */
export const OPERATORS = {
  UNION: {
    aliases: ['OR', 'PLUS', '|', '||'],
    symmetric: true,
    keptSide: 'both',
    located: false,
    gloss: 'in left or right',
    phrase: (left, right) => `every record that is in ${left} or in ${right}`,
    defaultName: (left, right) => `Union of ${left} and ${right}`,
  },
  INTERSECT: {
    aliases: ['AND', 'INTERSECTION', '&', '&&'],
    symmetric: true,
    keptSide: 'both',
    located: false,
    gloss: 'in both',
    phrase: (left, right) => `every record that is both in ${left} and in ${right}`,
    defaultName: (left, right) => `Intersection of ${left} and ${right}`,
  },
  MINUS: {
    aliases: ['MINUS_LEFT', 'LEFT_MINUS', 'LMINUS', 'NOT', 'EXCEPT'],
    symmetric: false,
    keptSide: 'left',
    located: false,
    gloss: 'in left, not in right',
    phrase: (left, right) => `every record of ${left} that is not in ${right}`,
    defaultName: (left, right) => `${left} without ${right}`,
  },
  RMINUS: {
    aliases: ['MINUS_RIGHT', 'RIGHT_MINUS', 'REXCEPT'],
    symmetric: false,
    keptSide: 'right',
    located: false,
    gloss: 'in right, not in left',
    phrase: (left, right) => `every record of ${right} that is not in ${left}`,
    defaultName: (left, right) => `${right} without ${left}`,
  },
  COLOCATE: {
    aliases: [],
    symmetric: false,
    keptSide: 'output',
    located: true,
    gloss: 'of the output side that meet one of the other',
    phrase: (left, right, colocate: Colocate = COLOCATE_DEFAULTS) => colocatePhrase(left, right, colocate),
    defaultName: (left, right, { invert, output }: Colocate = COLOCATE_DEFAULTS) => {
      if (invert !== true) return `Colocation of ${left} and ${right}`;
      return output === 'left' ? `${left} apart from ${right}` : `${right} apart from ${left}`;
    },
  },
} as const satisfies Record<Operator, OperatorFacts>;

export const EVERY_OPERATOR = Object.keys(OPERATORS) as readonly Operator[];

const OPERATOR_BY_NAME: ReadonlyMap<string, Operator> = new Map(
  EVERY_OPERATOR.flatMap((operator) => namesOf(operator).map((name) => [name, operator] as const)),
);

export function factsOf(operator: Operator): OperatorFacts {
  return OPERATORS[operator];
}

/** Common names of operations that are not operators here, each with advice on what to write instead. */
export const REFUSED_NAMES: ReadonlyMap<string, RefusedName> = new Map([
  // VEuPathDB's LONLY is the whole left side; Pathfinder's subtracts the right side. The author must choose.
  ...refusedNames('two-readings', twoReadings('LONLY', 'left', 'right', 'MINUS'), 'LONLY'),
  ...refusedNames('two-readings', twoReadings('RONLY', 'right', 'left', 'RMINUS'), 'RONLY'),
  ...refusedNames(
    'unknown',
    'Records that overlap or stand near each other are what COLOCATE keeps; its "upstream" and "downstream" say how near.',
    ...['NEAR', 'NEARBY', 'OVERLAP', 'OVERLAPS', 'OVERLAPPING', 'AROUND', 'WINDOW', 'FLANK'],
  ),
  ...refusedNames(
    'unknown',
    'COLOCATE keeps every record that stands near one of the other side, as its "upstream" and "downstream" say; the nearest alone is kept by none.',
    ...['CLOSEST', 'NEAREST'],
  ),
  ...refusedNames(
    'unknown',
    'COLOCATE keeps them, with "operation": "contains" where the left one is around the right one, and "within" where it is inside.',
    ...['CONTAINS', 'CONTAINED', 'WITHIN', 'INSIDE'],
  ),
  ...refusedNames(
    'unknown',
    'COLOCATE with "invert": true is meant: it keeps what stands near none of the other side; its "upstream" and "downstream" say how near.',
    ...['NOT_NEAR', 'NOT_OVERLAPPING', 'NOT_COLOCATE'],
  ),
  ...refusedNames(
    'unknown',
    `MINUS is meant: it keeps what is ${OPERATORS.MINUS.gloss}.`,
    ...['AND_NOT', 'BUT_NOT', 'NOT_IN', 'WITHOUT', 'EXCLUDE', 'EXCLUDING', 'REMOVE'],
  ),
  ...refusedNames(
    'unknown',
    `UNION keeps what is ${OPERATORS.UNION.gloss}, INTERSECT what is ${OPERATORS.INTERSECT.gloss}: write the one that is meant.`,
    ...['MERGE', 'JOIN', 'COMBINE'],
  ),
  ...refusedNames(
    'unknown',
    'There is no set of all records. For what is in a larger set and not in this one, write MINUS with the larger set on its left.',
    'COMPLEMENT',
  ),
  ...refusedNames(
    'unknown',
    `MINUS keeps what is ${OPERATORS.MINUS.gloss}, RMINUS what is ${OPERATORS.RMINUS.gloss}: write the one that is meant.`,
    ...['SUBTRACT', 'SUBTRACTION', 'DIFFERENCE', 'SET_DIFFERENCE'],
  ),
  ...refusedNames(
    'unknown',
    'For what is in one of the two and not in both, write MINUS with their UNION on its left and their INTERSECT on its right.',
    ...['XOR', 'SYMDIFF', 'SYMMETRIC_DIFFERENCE'],
  ),
  ...refusedNames(
    'unknown',
    'There is no set of all records. For what is in a third set and in neither of the two, write MINUS with that set on its left and their UNION on its right.',
    'NOR',
  ),
  ...refusedNames(
    'unknown',
    'There is no set of all records. For what is in a third set and not in both of the two, write MINUS with that set on its left and their INTERSECT on its right.',
    'NAND',
  ),
  ...refusedNames('unknown', 'There is no set of all records. What is in both of two sets is their INTERSECT.', 'XNOR'),
]);

export interface RefusedName {
  /** `two-readings` means that the name has two meanings in other systems. */
  readonly reason: 'two-readings' | 'unknown';
  readonly advice: string;
}

function refusedNames(reason: RefusedName['reason'], advice: string, ...names: string[]): [string, RefusedName][] {
  return names.map((name) => [name, { reason, advice }]);
}

function twoReadings(name: string, side: Side, other: Side, subtraction: Operator): string {
  return (
    `${name} has two readings: the whole ${side} set with the ${other} one ignored, or the ${side} records ` +
    `that are not in the ${other} set. For the first write the ${side} node alone, for the second write ${subtraction}.`
  );
}

/**
 * Reads the name of an operator in any case, trimmed, with `-` or spaces in place of `_`.
 * @example readOperatorName('minus-left'); // { kind: 'operator', operator: 'MINUS' }
 * @example readOperatorName('INTERSEKT'); // { kind: 'unknown', hint: ' Did you mean "INTERSECT"?' }
 */
export function readOperatorName(name: string): OperatorReading {
  const folded = name.trim().toUpperCase().replace(/[-\s]/g, '_');
  const operator = OPERATOR_BY_NAME.get(folded);
  if (operator !== undefined) return { kind: 'operator', operator };
  const entry = REFUSED_NAMES.get(folded);
  if (entry?.reason === 'two-readings') return { kind: 'ambiguous', message: entry.advice };
  return { kind: 'unknown', hint: entry === undefined ? didYouMean(name, operatorNames()) : ` ${entry.advice}` };
}

/**
 * Every name that is read as an operator, the canonical names first.
 * @example operatorNames().slice(0, 2); // ['UNION', 'INTERSECT']
 */
export function operatorNames(): readonly string[] {
  return [...EVERY_OPERATOR, ...EVERY_OPERATOR.flatMap((operator) => factsOf(operator).aliases)];
}

export function namesOf(operator: Operator): readonly string[] {
  return [operator, ...factsOf(operator).aliases];
}
