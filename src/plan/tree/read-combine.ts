import { describeValue, listNames, quote } from '../text/index.ts';
import { readColocate, refuseColocate } from '../colocate/index.ts';
import { below, type Place, type IssueList } from '../issues/index.ts';
import { NAMES } from '../names.ts';
import { EVERY_OPERATOR, factsOf, readOperatorName, type OperatorReading } from '../operators/index.ts';
import { presentKey, readText } from '../read-field.ts';
import type { Operator } from '../compiled-plan.ts';
import type { CombineDraft, NodeSource, Reading, WrittenNode, NodeDraft, TaskFields } from '../plan-reading.ts';
import type { Catalogue, Executor } from '../catalogue.ts';

export function readOperation(source: NodeSource, reading: Reading): CombineDraft | undefined {
  const { place } = source;
  const operator = readOperator(source, reading);
  const displayName = readText(source, NAMES.any.displayName.keys, reading);
  const located = operator !== undefined && factsOf(operator).located;
  const colocate = located ? readColocate(source, reading) : undefined;
  if (operator !== undefined && !located) refuseColocate(source, operator, reading);
  return operator && { kind: 'combine', place, operator, displayName, colocate };
}

const NO_NAME: OperatorReading = { kind: 'unknown', hint: '' };

function readOperator(source: NodeSource, reading: Reading): Operator | undefined {
  const key = presentKey(source, NAMES.combine.operator.keys, reading);
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

/** The operands of a combine as written. As in Pathfinder, `inputs` has precedence over `left` and `right`. */
export function readOperands({ node, place }: NodeSource, reading: Reading): readonly (WrittenNode | undefined)[] {
  const inputs = node['inputs'] ?? undefined;
  if (inputs === undefined) return ['left', 'right'].map((key) => operandOf(node[key], below(place, key)));
  for (const key of ['left', 'right']) {
    if (node[key] == null) continue;
    reading.issues.add('warning', 'ignored-key', below(place, key), () => ({
      message: `"inputs" and "${key}" are both here; "inputs" counts. Remove one of them.`,
    }));
  }
  const list = below(place, 'inputs');
  const refuse = (code: 'missing-operand' | 'too-many-operands', message: string): void => {
    const detail = { message, expected: 'a list of two nodes', got: describeValue(inputs) };
    reading.issues.add('error', code, list, () => detail);
  };
  if (!Array.isArray(inputs)) {
    refuse('missing-operand', `"inputs" is ${describeValue(inputs)}. Write a list of two nodes, the left one first.`);
    return [];
  }
  if (inputs.length > 2) {
    const message = `A combine has two operands, and "inputs" has ${inputs.length}. Put one combine into another.`;
    refuse('too-many-operands', message);
  }
  return Array.from({ length: Math.max(2, inputs.length) }, (_, at) => operandOf(inputs[at], below(list, at)));

  function operandOf(value: unknown, where: Place): WrittenNode | undefined {
    if (value != null) return { value, place: where };
    reading.issues.add('error', 'missing-operand', where, () => ({
      message: 'A combine has two operands, and this one is missing. Write a node here.',
      expected: 'a node',
    }));
    return undefined;
  }
}

/** Reports operands of set operators that give no set, if the catalogue knows that. */
export function checkOperands(
  drafts: readonly NodeDraft[],
  executorOf: ReadonlyMap<NodeDraft | TaskFields, Executor>,
  catalogue: Catalogue | undefined,
  issues: IssueList,
): void {
  if (catalogue?.outputOf === undefined) return;
  for (const combine of drafts) {
    if (combine.kind === 'combine')
      for (const operand of [combine.left, combine.right]) check(combine.operator, operand);
  }

  function check(operator: Operator, draft: NodeDraft | undefined): void {
    const executor = draft && executorOf.get(draft);
    const output = executor && catalogue?.outputOf?.(executor);
    if (draft?.kind !== 'task' || output === undefined || output === 'set') return;
    const place = draft[executor!.kind] === undefined ? draft.place : below(draft.place, executor!.kind);
    issues.add('error', 'not-a-set', place, () => {
      const sets = setsOf(catalogue!);
      const instead =
        sets.length === 0 ? '' : `Take a capability that gives a set (${listNames(sets)}) in its place, or `;
      return {
        message:
          `${operator} joins two sets, and the ${executor!.kind} ${quote(executor!.name)} gives a ${output}. ` +
          `${instead === '' ? 'L' : `${instead}l`}eave the operator out, and let a task take both results.`,
        expected: sets,
        got: output,
      };
    });
  }
}

function setsOf(catalogue: Catalogue): readonly string[] {
  return catalogue.capabilities.filter((name) => {
    const executor = catalogue.executor('capability', name);
    return executor !== undefined && catalogue.outputOf?.(executor) === 'set';
  });
}
