/** The set operators, their names, and the names that are refused. */

export { namesOf, operatorNames, readOperatorName } from './operator-names.ts';
export type { OperatorReading } from './operator-names.ts';
export { EVERY_OPERATOR, OPERATORS, factsOf } from './operators.ts';
export type { OperatorFacts } from './operators.ts';
