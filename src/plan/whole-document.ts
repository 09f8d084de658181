/** The keys that hold the nodes of a document. A node has none, or has a type too. */
const DOCUMENT_KEYS = ['plan', 'steps', 'nodes', 'execution_plan'];
const NODE_KEYS = ['type', 'kind'];

/**
 * The input as a whole document: the bare root node of a tree is put under `plan`, beside the goal. Text, bytes, and an
 * object with a document key and without a type are returned unchanged. Looks at the outermost keys only.
 */
export function wholeDocument<Plan, Goal>(plan: Plan, goal: Goal): Plan | { readonly goal: Goal; readonly plan: Plan } {
  return isWhole(plan) ? plan : { goal, plan };
}

function isWhole(plan: unknown): boolean {
  if (typeof plan === 'string' || ArrayBuffer.isView(plan)) return true;
  if (typeof plan !== 'object' || plan === null || Array.isArray(plan)) return false;
  const has = (key: string): boolean => Object.hasOwn(plan, key);
  return DOCUMENT_KEYS.some(has) && !NODE_KEYS.some(has);
}
