/**
 * The contract between two processes: names, messages, views, requests and replies. Clients take their types from here, and all
 * that a file of it exports is part of it.
 */

export * from './result.ts';
export * from './activities.ts';
export type * from './agent-input.ts';
export * from './answers.ts';
export * from './bounds.ts';
export * from './read-options.ts';
export * from './control.ts';
export * from './decision.ts';
export * from './failure-types.ts';
export * from './payload.ts';
export * from './ids.ts';
export * from './loop.ts';
export * from './messages.ts';
export * from './metrics.ts';
export * from './missing-words.ts';
export * from './status.ts';
export * from './names.ts';
export * from './nodes.ts';
export * from './options.ts';
export * from './part.ts';
export * from './planning.ts';
export * from './planning-machine.ts';
export * from './project.ts';
export * from './question.ts';
export * from './refusal.ts';
export * from './replies.ts';
export * from './requests.ts';
export type * from './resume.ts';
export * from './schema-words.ts';
export * from './shape.ts';
export * from './slice.ts';
export * from './spending.ts';
export * from './trace.ts';
export type * from './view.ts';
export * from './views.ts';
