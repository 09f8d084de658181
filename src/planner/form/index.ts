export {
  planExample,
  writtenFormOf,
  writeNodes,
  type WrittenForm,
  withKnownNames,
  withoutNamespace,
  schemaOf,
} from './plan-example.ts';
export { givesSets, planFormat } from './plan-format.ts';
export { jsonOfReply, readPlanReply, withoutThoughts, type PlanReply, type WrittenDocument } from './read-reply.ts';
