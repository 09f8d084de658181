import { listNames, quote } from '../text/index.ts';
import { below, type IssueList } from '../issues/index.ts';
import type { Catalogue, Executor } from '../catalogue.ts';
import type { Operator } from '../compiled-plan.ts';
import type { NodeDraft, TaskFields } from '../plan-reading.ts';

/**
 * Reports operands of an operator that give a text or a value, as far as the catalogue knows. The result of an operator
 * is a set.
 */
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
