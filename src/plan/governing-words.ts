/**
 * Keys that control steps in other systems, such as `if` or `retry`. Planwright would ignore them, so each is an error.
 */

import { quote } from './text/index.ts';
import { isEmptyValue, isPlainObject } from './plain-object.ts';

/**
 * Keys that control steps in other systems, in groups of three lines: the keys (lower case, without `_` and `-`),
 * harmless values, which state what happens anyway (`place` is the index of the step), and what to write instead. A key
 * with `=` is an error only with a value of line 2.
 */
const WORDS = `
if onlyif runif skipif stopif when runwhen unless cond predicate condition conditions guard assert precondition preconditions triggerrule
  true always always() success() all_success
  A plan has no conditions: let a step ask a person ("ask"), or decide step by step (option mode: reactive)
then else elseif thenstep elsestep iftrue iffalse ontrue onfalse branches case cases switch
  none
  A plan has no branches: write the steps of one of them, or decide step by step (option mode: reactive)
foreach forevery each loop loopover loops iterateover iterations maxiterations withitems repeat until while times
  false 1
  A plan has no loops: write a step for each item, or decide step by step (option mode: reactive)
enabled isenabled
  true yes on
  Every step of a plan runs: take out what is not to run
disabled isdisabled disable skip skipped cancelled canceled donotrun commentedout done completed optional isoptional
  false no off
  Every step of a plan runs: take out what is done, or is not to run
execute= run= active= shouldrun=
  false no off
  Every step of a plan runs: take out what is not to run
status
  pending todo notstarted not_started planned ready open queued waiting new
  Every step of a plan runs: take out what is done, or is not to run
dryrun isdryrun simulate simulation mock preview noop testmode planonly
  false no off
  What runs has its effects: look at the plan with "planwright compile", or name a capability that only reads
onfailure onfail onerror iferror fallback catch rescue finally onsuccess compensate compensation rollback errorhandling
errorhandler continueonerror continueonfailure ignoreerrors allowfailure failfast
  fail false
  What a failure leads to is the option onFailure of a run: fail, partial, ask or replan
retry retries retrypolicy retrycount retrydelay maxretries backoff attempts maxattempts
  false 0
  How often an attempt is repeated is declared by the capability (retry.attempts)
timeout timeoutseconds timeoutsec timeoutms timeoutminutes timelimit maxduration deadline starttoclosetimeout
  0
  How long an attempt may take is declared by the capability (timeout.startToCloseMs)
requiresapproval requireapproval needsapproval approval approvalrequired humanapproval requiresconfirmation confirm
confirmationrequired humanintheloop approver approvers
  false no
  Who has to approve what is the option approval of a run, with rules by effect and capability
schedule cron delay delayseconds delayms wait waitfor waituntil waitseconds sleep startat starttime runat notbefore scheduledat
  false 0 now immediately
  A plan has no clock: start its run when it is time, for example with a Temporal Schedule
priority parallel runinparallel concurrent concurrency maxparallel parallelism
  true normal medium default 0
  Steps start once their inputs are there: write dependencies. How many run at once is the option concurrency of a run
order sequence stepindex executionorder
  place
  Steps run in the order of their list, and a node of a tree after its inputs: put them into that order
inputrefs inputref inputsfrom
  none
  Write the keys of the steps under "inputs"
type= kind= steptype= nodetype= tasktype=
  conditional condition if ifelse branch switch decision choice loop for foreach while repeat parallel wait delay approval
  A plan has tasks and set operators: write what is to be done as steps`;

const COLOCATE_WORDS = `
distance maxdistance mindistance window windowsize maxgap gap slop flank flanks padding within
  0
  Write the window in bases as "upstream" and "downstream"
samestrand stranded strandedness strandspecific ignorestrand strandmode
  false 0
  Write "strand": "both", "same" or "opposite"
minoverlap overlapfraction fraction reciprocal closest nearest side keep
  false 0
  Write "operation": "overlap", "contains" or "within", and "output": "left" or "right"`;

const ROWS = wordRows(WORDS);
const COLOCATE_ROWS = wordRows(COLOCATE_WORDS);

function wordRows(words: string) {
  return new Map(
    [...words.matchAll(/((?:^\S.*\n)+) {2}(.*)\n {2}(.*)/gm)].flatMap(([, keys, values, instead]) =>
      keys!.split(/\s/).map((key) => [key, { values: values!.split(' '), instead: instead! }] as const),
    ),
  );
}

const MAX_KEY = 40;

type Kind = 'step' | 'task' | 'combine';

/** Why a key is an error; '' if its value only states what happens anyway, undefined for other keys. */
export function governs(key: string, value: unknown, kind: Kind, position = 0): string | undefined {
  if (key.length > MAX_KEY) return undefined;
  const name = key.toLowerCase().replace(/[\s_-]+/g, '');
  const only = ROWS.get(`${name}=`);
  const row = only ?? ROWS.get(name) ?? (kind === 'combine' ? COLOCATE_ROWS.get(name) : undefined);
  if (row === undefined) return undefined;
  const text = typeof value === 'object' ? '' : `${value as number}`.trim().toLowerCase();
  if (only !== undefined && !only.values.includes(text.replace(/[_-]/g, ''))) return undefined;
  const isPlace = row.values[0] === 'place' && [position, position - 1].map(String).includes(text);
  const saysNothing = isEmptyValue(value) || text === 'none' || (only === undefined && row.values.includes(text));
  if (isPlace || saysNothing) return '';
  return `${quote(key)} governs a step in other systems, and would be ignored here. ${row.instead}.`;
}

export function governingKeyIn(value: unknown, kind: Kind): string | undefined {
  return isPlainObject(value) ? Object.keys(value).find((key) => governs(key, value[key], kind)) : undefined;
}
