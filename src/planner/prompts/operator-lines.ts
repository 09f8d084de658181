/** The operators as a prompt lists them: from the table that the compiler has. */

import { OPERATORS } from '../../plan/index.ts';

export const EVERY_OPERATOR_LINE = `Operators: ${Object.entries(OPERATORS)
  .map(([name, { gloss }]) => `${name} (${gloss})`)
  .join(', ')}.`;
