/** The keys under which a document has its nodes. A node has no such key, or also has a type. */
const DOCUMENT_KEYS = ['plan', 'steps', 'nodes', 'execution_plan'];
const NODE_KEYS = ['type', 'kind'];

/** Puts a bare root node under `plan`, with the goal beside it. Returns texts and whole documents unchanged. */
export function wholeDocument<Plan, Goal>(plan: Plan, goal: Goal): Plan | { readonly goal: Goal; readonly plan: Plan } {
  return isWhole(plan) ? plan : { goal, plan };
}

function isWhole(plan: unknown): boolean {
  if (typeof plan === 'string' || ArrayBuffer.isView(plan)) return true;
  if (typeof plan !== 'object' || plan === null || Array.isArray(plan)) return false;
  const has = (key: string): boolean => Object.hasOwn(plan, key);
  return DOCUMENT_KEYS.some(has) && !NODE_KEYS.some(has);
}
