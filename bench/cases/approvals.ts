/** Many runs that wait for a person: from the first approval until all of them are done. */

import type { Case } from './case.ts';

const RUNS = 1000;
const WITHIN_MS = 1_800_000;

export const approvals: Case = {
  name: '1,000 open approvals',
  unit: 'ms a run',
  per: RUNS,
  rounds: 'cold',
  measure: (contender) => contender.ask({ does: 'approvals', runs: RUNS }, WITHIN_MS),
};
