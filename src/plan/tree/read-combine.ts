/** Reading a combine node: its operator, its parameters and its operands. */

import { describeValue, listNames, quote } from '../text/index.ts';
import { readColocate, refuseColocate } from '../colocate/index.ts';
import { below } from '../issues/index.ts';
import { EVERY_OPERATOR, factsOf, readOperatorName } from '../operators/index.ts';
import { waitForList } from '../plan-reading.ts';
import { presentKey, readText } from '../read-field.ts';
import { DISPLAY_NAME_KEYS, OPERATOR_KEYS } from './node-keys.ts';
import type { Place } from '../issues/index.ts';
import type { OperatorReading } from '../operators/index.ts';
import type { Operator } from '../compiled-plan.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

/** Reads a combine node; its operands wait to be read next, the left one first. */
export function readCombine(source: NodeSource, reading: Reading): void {
  const { place } = source;
  const operator = readOperator(source, reading);
  const displayName = readText(source, DISPLAY_NAME_KEYS, reading);
  const located = operator !== undefined && factsOf(operator).located;
  const colocate = located ? readColocate(source, reading) : undefined;
  if (operator !== undefined && !located) refuseColocate(source, operator, reading);
  readOperands(source, reading);
  if (operator === undefined) return;
  reading.drafts.push({ kind: 'combine', arity: 2, place, operator, displayName, colocate });
}

const NO_NAME: OperatorReading = { kind: 'unknown', hint: '' };

function readOperator(source: NodeSource, reading: Reading): Operator | undefined {
  const key = presentKey(source, OPERATOR_KEYS, reading);
  const written = key === undefined ? undefined : source.node[key];
  const operator = typeof written === 'string' ? readOperatorName(written) : NO_NAME;
  if (operator.kind === 'operator') return operator.operator;
  const place = below(source.place, key ?? 'operator');
  const got = typeof written === 'string' ? quote(written) : describeValue(written);
  if (operator.kind === 'ambiguous') {
    const detail = { message: operator.message, expected: EVERY_OPERATOR, got };
    reading.issues.add('error', 'ambiguous-operator', place, () => detail);
    return undefined;
  }
  reading.issues.add('error', 'unknown-operator', place, () => {
    const start =
      key === undefined
        ? 'The combine has no operator.'
        : typeof written === 'string'
          ? `${got} is no operator.${operator.hint}`
          : `The name of an operator is a text, and this is ${got}.`;
    return { message: `${start} Use ${listNames(EVERY_OPERATOR)}.`, expected: EVERY_OPERATOR, got };
  });
  return undefined;
}

/** Pathfinder: a list of two under `inputs` wins over `left` and `right`. */
function readOperands({ node, place }: NodeSource, reading: Reading): void {
  const inputs = node['inputs'] ?? undefined;
  if (inputs === undefined) {
    const { left, right } = node;
    if (right != null) reading.waiting.push({ value: right, place: below(place, 'right') });
    if (left != null) reading.waiting.push({ value: left, place: below(place, 'left') });
    if (left == null) refuseMissing(below(place, 'left'));
    if (right == null) refuseMissing(below(place, 'right'));
    return;
  }
  for (const key of ['left', 'right']) {
    if (node[key] == null) continue;
    reading.issues.add('warning', 'ignored-key', below(place, key), () => ({
      message: `"inputs" and "${key}" are both here; "inputs" counts. Remove one of them.`,
    }));
  }
  const list = below(place, 'inputs');
  if (!Array.isArray(inputs)) {
    reading.issues.add('error', 'missing-operand', list, () => ({
      message: `"inputs" is ${describeValue(inputs)}. Write a list of two nodes, the left one first.`,
      expected: 'a list of two nodes',
      got: describeValue(inputs),
    }));
    return;
  }
  waitForList(inputs, list, reading);
  for (const index of [0, 1]) if (inputs[index] == null) refuseMissing(below(list, index));
  if (inputs.length <= 2) return;
  reading.issues.add('error', 'too-many-operands', list, () => ({
    message: `A combine has two operands, and "inputs" has ${inputs.length}. Put one combine into another.`,
    expected: 'a list of two nodes',
    got: describeValue(inputs),
  }));

  function refuseMissing(where: Place): void {
    reading.issues.add('error', 'missing-operand', where, () => ({
      message: 'A combine has two operands, and this one is missing. Write a node here.',
      expected: 'a node',
    }));
  }
}
