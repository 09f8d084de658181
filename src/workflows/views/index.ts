/** The views of a run: the results of its queries, what is open, and the details of the Web UI. */

export { awaited } from './awaited.ts';
export { detailsOf } from './details.ts';
export { firstOpen } from './open-items.ts';
export { rolesWaitedFor, waitingIn } from './openings.ts';
export { nodeOf, nodesOf, openOf, planOf, statusOf } from './views.ts';
