/** The door of `plan/tree`: documents in the tree format, read or written in code, and their nodes. */

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
export {
  CONTEXT_KEYS,
  DISPLAY_NAME_KEYS,
  HINT_KEYS,
  NODE_TYPES,
  OPERAND_KEYS,
  OPERATOR_KEYS,
  TASK_KEYS,
} from './node-keys.ts';
export { numberNodes } from './number-nodes.ts';
export { readTree } from './read-tree.ts';
export { planDocument, writtenNode } from './tree-document.ts';
