/** The smallest run that an engine has, so that its cost can be taken off the others. */

import type { Case } from './case.ts';

export const empty: Case = {
  name: 'smallest run',
  unit: 'ms',
  per: 1,
  rounds: 'warm',
  measure: (contender) => contender.ask({ does: 'empty' }),
};
