export {
  createActivities,
  type Activities,
  type ActivityDependencies,
  type VerifyReply,
  type VerifyRequest,
} from './create-activities.ts';
export type { CompileReply, CompileRequest } from './compile-plan.ts';
export type { NodeReply, NodeRequest } from './run-node.ts';
export type { NodeEvent } from './node-event.ts';
export type { AnswerReply, AnswerRequest } from './store-answer.ts';
