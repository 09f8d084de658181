/** `planwright schema`: the JSON schema of plan documents. */

import { defineCommand } from '../define-command.ts';

export const schemaCommand = defineCommand({
  name: 'schema',
  description: 'print the JSON schema (draft-07) of plan documents, for editors',
  examples: ['planwright schema > plan.schema.json'],
  async run(_typed, { output, perform }) {
    const schema = await perform('schema', {});
    // It is the answer in every format, so that it can be written to a file as it stands.
    output.print(schema, () => JSON.stringify(schema, null, 2));
    return 'done';
  },
});
