/** Checks that an operator joins sets, as far as a catalogue says what its operands give. */

import { listNames, quote } from '../text/index.ts';
import { below, type IssueList } from '../issues/index.ts';
import type { Catalogue, Executor } from '../catalogue.ts';
import type { Draft, TaskFields } from '../plan-reading.ts';

/** Operands that are tasks of a kind which gives a text or a value get an issue; the result of an operator is a set. */
export function checkOperands(
  drafts: readonly Draft[],
  executorOf: ReadonlyMap<Draft | TaskFields, Executor>,
  catalogue: Catalogue | undefined,
  issues: IssueList,
): void {
  if (catalogue?.outputOf === undefined) return;
  // The drafts whose children are not all read, every parent before its children.
  const open: { readonly draft: Draft; missing: number }[] = [];
  for (const draft of drafts) {
    while (open.at(-1)?.missing === 0) open.pop();
    const parent = open.at(-1);
    if (parent !== undefined) parent.missing--;
    open.push({ draft, missing: draft.arity });
    const executor = executorOf.get(draft);
    if (parent?.draft.kind !== 'combine' || executor === undefined) continue;
    const output = catalogue.outputOf(executor);
    if (output === undefined || output === 'set') continue;
    const { operator } = parent.draft;
    const isNamed = draft.kind === 'task' && draft[executor.kind] !== undefined;
    const place = isNamed ? below(draft.place, executor.kind) : draft.place;
    issues.add('error', 'not-a-set', place, () => {
      const sets = setsOf(catalogue);
      const instead =
        sets.length === 0 ? '' : `Take a capability that gives a set (${listNames(sets)}) in its place, or `;
      return {
        message:
          `${operator} joins two sets, and the ${executor.kind} ${quote(executor.name)} gives a ${output}. ` +
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
