/** A run as everybody else sees it: it can be looked at, and only a turn changes it. */

import type { JsonValue } from '../../plan/index.ts';
import { pressureOf as pressure } from './budget.ts';
import { resultOf as result } from './ending.ts';
import { lastSums as sums } from './family.ts';
import { handOver as over, resumeRun as resume } from './hand-over.ts';
import { keepRequest as kept } from './keep.ts';
import { mayBegin as may, proofOf as proof } from './may-begin.ts';
import { reportRequest as report } from './report.ts';
import type { Run as OwnRun } from './run.ts';
import { allowanceFor as allowance, grantedTo as granted } from './spending/spend.ts';
import { awaited as waits } from '../views/awaited.ts';
import { detailsOf as details } from '../views/details.ts';
import { viewOf as view } from '../views/views.ts';
import { openPlan as plan, openTask as task } from './start.ts';
import { preview as foresee } from './talk/mailbox.ts';
import { takeTurn as turn } from './turn.ts';

/** A JSON value is read-only already, and has no last level. */
type Seen<T> = [JsonValue] extends [T]
  ? T
  : T extends ReadonlyMap<infer Key, infer Value>
    ? ReadonlyMap<Key, Seen<Value>>
    : T extends object
      ? { readonly [Key in keyof T]: Seen<T[Key]> }
      : T;

export type Run = Seen<OwnRun>;

/** The same function. A test holds that none of them but `takeTurn` changes what it is given. */
const reading = <Rest extends unknown[], Read>(read: (run: OwnRun, ...rest: Rest) => Read) =>
  read as (run: Run, ...rest: Rest) => Read;

export const allowanceFor = reading(allowance);
export const awaited = reading(waits);
export const detailsOf = reading(details);
export const handOver = reading(over);
export const keepRequest = reading(kept);
export const lastSums = reading(sums);
export const grantedTo = reading(granted);
export const mayBegin = reading(may);
export const pressureOf = reading(pressure);
export const preview = reading(foresee);
export const proofOf = reading(proof);
export const reportRequest = reading(report);
export const resultOf = reading(result);
export const viewOf = reading(view);

/** The functions that make a run, and the one that changes a run. */
export const openPlan: (...given: Parameters<typeof plan>) => Run = plan;
export const openTask: typeof openPlan = task;
export const resumeRun: (...given: Parameters<typeof resume>) => Run = resume;
export const takeTurn = reading(turn);
