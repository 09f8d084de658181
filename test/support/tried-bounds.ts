/** Bounds that a test passes on purpose: by the row of docs/bounds.md, the file of the test that gives more, and how it writes it. */

import { TRIED_MCP } from './tried/mcp.ts';
import { TRIED_KEEPING } from './tried/keeping.ts';
import { TRIED_PAGE, UNTRIED_PAGE } from './tried/page.ts';
import { TRIED_PLANNING } from './tried/planning.ts';
import { TRIED_RUN } from './tried/run.ts';
import { TRIED_WATCHING } from './tried/watching.ts';
import { TRIED_WORK } from './tried/work.ts';

export type Tried = readonly [bound: string, test: string, beyond: string];

export const TRIED: readonly Tried[] = [
  ...TRIED_RUN,
  ...TRIED_WORK,
  ...TRIED_PLANNING,
  ...TRIED_WATCHING,
  ...TRIED_MCP,
  ...TRIED_KEEPING,
  ...TRIED_PAGE,
];

/** Those that no test passes, each with the reason. A new one belongs above. */
export const UNTRIED: Readonly<Record<string, string>> = {
  'builtin/calculate/calculate-in-thread.ts MAX_HEAP_MB': 'no calculation within the other bounds takes so much',
  'wire/results/read-track-file.ts MAX_TRACK_BYTES': 'a file of 1 GiB in memory is more than a test may take',
  'worker/activities/hold-resource.ts MOST_PLACES': 'it bounds memory, and what is lost is a place in a line',
  'worker/activities/prove.ts MOST_TOLD': 'it shortens an error, and each of its reasons has a test of its own',
  'worker/activities/reuse.ts LOOKUPS': 'it bounds what is under way at once, and changes no result',
  'model/journal.ts MAX_UNWRITTEN': 'it bounds memory, and what is lost is a reply that can be bought again',
  'engine/workflows/starters.ts PART_PATIENCE':
    'a deadline that the server keeps, hours after each node has met its own',
  'cli/working/codec-server.ts REQUEST_MS': 'a deadline that Node keeps, on a question that comes slowly',
  ...UNTRIED_PAGE,
  'edge/client/plan-client.ts START_MS': 'a deadline that the SDK keeps, around the start on a server alone',
};
