export {
  plan,
  type ColocateDetails,
  type CombineDetails,
  type TaskDetails,
  type TreeCombine,
  type TreeDocument,
  type TreeNode,
  type TreeTask,
  planDocument,
  writtenNode,
} from './build-plan.ts';
export { checkOperands } from './read-combine.ts';
export { numberNodes } from './number-nodes.ts';
export { readTree } from './read-tree.ts';
