/** The door of `plan/schema`: the JSON Schema of plan documents. */

export { planSchema } from './json-schema.ts';
export type { Schema } from './schema-parts.ts';
