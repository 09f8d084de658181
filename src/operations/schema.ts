/** The language that plans are written in. */

import { planSchema } from '../language/plan/index.ts';
import { operation } from './operation.ts';

export const schema = operation({
  name: 'schema',
  does: 'Gives the JSON schema (draft-07) of plan documents.',
  input: (z) => z.object({}),
  output: (z) => z.looseObject({}),
  run: async () => planSchema(),
});
