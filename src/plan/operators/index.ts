export {
  namesOf,
  operatorNames,
  readOperatorName,
  type OperatorReading,
  EVERY_OPERATOR,
  OPERATORS,
  factsOf,
  type OperatorFacts,
} from './operators.ts';
