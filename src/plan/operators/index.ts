/** The door of `plan/operators`: the set operators: their facts, their names, and the names that are refused. */

export { colocatePhrase } from './colocate-phrase.ts';
export { operatorNames, readOperatorName } from './operator-names.ts';
export type { OperatorReading } from './operator-names.ts';
export { OPERATORS } from './operators.ts';
export type { Operator } from './operators.ts';
