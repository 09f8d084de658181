/** The tree format: read, or written in code. */

export { plan } from './build-plan.ts';
export type {
  ColocateDetails,
  CombineDetails,
  TaskDetails,
  TreeCombine,
  TreeDocument,
  TreeNode,
  TreeTask,
} from './build-plan.ts';
export { checkOperands } from './check-operands.ts';
export { numberNodes } from './number-nodes.ts';
export { readTree } from './read-tree.ts';
export { planDocument, writtenNode } from './tree-document.ts';
