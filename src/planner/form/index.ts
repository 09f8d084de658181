export { schemaOf } from './argument-schema.ts';
export { planExample } from './plan-example.ts';
export { givesSets, planFormat } from './plan-format.ts';
export { jsonOfReply, readPlanReply, withoutThoughts, type PlanReply, type WrittenDocument } from './read-reply.ts';
export { writtenFormOf, writeNodes, type WrittenForm, withKnownNames, withoutNamespace } from './write-nodes.ts';
