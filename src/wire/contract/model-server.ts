/** How a model server is spoken to: what a config may say of it, and what its client knows. */

export const MODEL_APIS = ['responses', 'chat'] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/**
 * What the server can be held to: `json_schema` to the schema itself; `json_object` to JSON, with the schema in the prompt;
 * `none` to nothing, with the schema in the prompt.
 */
export const MODEL_FORMATS = ['json_schema', 'json_object', 'none'] as const;
export type FormatSupport = (typeof MODEL_FORMATS)[number];
