/** The activities of a run, which reach into the world for it: one function per reach. */

export type { ActivityDependencies } from './activities.ts';
export { createActivities } from './create-activities.ts';
export type { AskedModel, ProjectModels } from './models.ts';
export type { NodeEvent } from './activities.ts';
export type { SpanFacts, Tracing, WorkSpan } from './meters.ts';
