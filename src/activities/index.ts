export { createActivities, type ActivityDependencies, type Activities } from './create-activities.ts';
export type { CompileReply, CompileRequest } from './compile-plan.ts';
export type { NodeRequest } from './run-node.ts';
export type { NodeEvent } from './node-event.ts';
