/** The words that cross a process boundary. Once released they are never renamed: people type them, histories hold them. */

export const DEFAULT_TASK_QUEUE = 'planwright';
export const DEFAULT_NAMESPACE = 'default';

export const PLAN_WORKFLOW = 'planWorkflow';

export const SIGNAL_NAMES = ['approve', 'reject', 'decide', 'answer', 'control'] as const;
export const UPDATE_NAMES = ['decide', 'answer', 'control'] as const;
export const QUERY_NAMES = ['status', 'plan', 'nodes', 'trace', 'questions'] as const;
export type QueryName = (typeof QUERY_NAMES)[number];

export const COMPILE_ACTIVITY = 'compilePlan';
export const NODE_ACTIVITY = 'runNode';
export const ANSWER_ACTIVITY = 'storeAnswer';
export const VERIFY_ACTIVITY = 'verifyMessage';

/** Search attribute (KeywordList): the roles a run waits for, or `anyone`. Set only where it is registered. */
export const WAITS_FOR_ATTRIBUTE = 'PlanWaitsFor';

/** The longest workflow id we make; the official SQL schemas hold 255 characters and children append to it. */
const MAX_WORKFLOW_ID = 120;

/** `plan-<goal as a slug>-<unique>`; the caller brings the unique part, since randomness is an effect. */
export function planWorkflowId(goal: string, unique: string): string {
  const slug = goal
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, MAX_WORKFLOW_ID - 'plan--'.length - unique.length)
    .replace(/-+$/, '');
  return slug === '' ? `plan-${unique}` : `plan-${slug}-${unique}`;
}

/**
 * What a capability hands to the outside world so that a repeated attempt is recognised there.
 * `occurrence`, `iteration` and `retry` count repetitions that are meant; all are 0 in a plan that runs once.
 */
export function idempotencyKey(
  workflowId: string,
  nodeKey: string,
  repetition: { occurrence?: number; iteration?: number; retry?: number } = {},
): string {
  const { occurrence = 0, iteration = 0, retry = 0 } = repetition;
  return `${workflowId}/${nodeKey}/${occurrence}.${iteration}.${retry}`;
}
