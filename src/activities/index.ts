export type { ActivityDependencies } from './activities.ts';
export { createActivities } from './create-activities.ts';
export type { ConfiguredModel, ProjectModels } from './models.ts';
export type { NodeEvent } from './activities.ts';
export type { SpanFacts, Tracing, WorkSpan } from './meters.ts';
