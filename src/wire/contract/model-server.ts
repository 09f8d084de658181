/** The talk with a model server: the settings of a config, and the facts that its client knows. */

export const MODEL_APIS = ['responses', 'chat'] as const;

/** The protocol of a model server: OpenAI's `responses`, or its `chat` completions. */
export type ModelApi = (typeof MODEL_APIS)[number];

/**
 * The form that the server can keep a reply to: `json_schema` the schema itself; `json_object` JSON, with the schema in
 * the prompt; `none` no form, with the schema in the prompt.
 */
export const MODEL_FORMATS = ['json_schema', 'json_object', 'none'] as const;

/**
 * The form that a model server can keep a reply to: the schema (`json_schema`), any JSON (`json_object`) or none
 * (`none`). In the last two the schema stands in the prompt.
 */
export type FormatSupport = (typeof MODEL_FORMATS)[number];
