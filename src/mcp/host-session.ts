/** What the tools of one host share: operations, the operator's settings, and the runs that the host may name. */

import {
  OperationError,
  performSent,
  type ProgressLine,
  type OperationName,
  type OutputOf,
  type Plans,
  checkRunName,
} from '../operations/index.ts';
import { timeoutSignal, type RunSettings } from '../protocol/index.ts';
import { randomBytes } from 'node:crypto';
import { oneLine, cutCharacters } from '../plan/text/index.ts';
import { openWord } from '../client/reach/index.ts';

interface AccessibleRuns {
  /** Options for the start of a run. They let this host name the run later. */
  mark(): { readonly once: string; readonly memo: Readonly<Record<string, unknown>> };
  add(workflowId: string): void;
  /** The runs that this process started, newest first, at most 100; undefined if the host may name every run. */
  readonly ids: readonly string[] | undefined;
  /** Returns the id if the host may name this run. @throws OperationError NO_RUN otherwise */
  check(workflowId: string): Promise<string>;
}

/** Marks the memo of a run that a host started. Memos survive continue-as-new. */
const MARK = 'mcp';
const ANSWER_MS = 5000;
const RANDOM_BYTES = 16;
const MAX_LISTED = 100;
const MAX_CHARACTERS = 250;
const SHOWN = 80;

/** The runs that a host may name. @param anyRun true if it may name every run of the namespace */
export function createAccessibleRuns(plans: Pick<Plans, 'session'>, anyRun: boolean): AccessibleRuns {
  const ids: string[] = [];
  return {
    mark: () => ({ once: randomBytes(RANDOM_BYTES).toString('hex'), memo: { startedThrough: openWord(MARK) } }),
    add(id) {
      ids.unshift(id);
      ids.splice(MAX_LISTED);
    },
    get ids() {
      return anyRun ? undefined : ids;
    },
    async check(workflowId) {
      checkRunName(workflowId);
      const isShort = workflowId.length <= MAX_CHARACTERS;
      if (isShort && (anyRun || ids.includes(workflowId) || (await isMarked(plans, workflowId)))) return workflowId;
      const named = cutCharacters(oneLine(workflowId), SHOWN);
      throw new OperationError('NO_RUN', `this host was handed no run ${named}; run_plan starts one and gives its id`);
    },
  };
}

/** Whether a host started the run or, for an agent's run, its root run. */
async function isMarked(plans: Pick<Plans, 'session'>, workflowId: string): Promise<boolean> {
  const { client } = await plans.session();
  try {
    const { memo, raw } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    if (memo?.['startedThrough'] === MARK) return true;
    const root = raw.workflowExecutionInfo?.rootExecution?.workflowId ?? workflowId;
    return root !== workflowId && (await isMarked(plans, root));
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw new OperationError('NO_SERVER', `the server does not tell of run ${oneLine(workflowId)}; try again`, {
      cause: error,
    });
  }
}

type AnswerOutcome =
  /** The run accepted the answer. It may still wait for another person, whom this host cannot ask. */
  | 'taken'
  | 'declined'
  /** The answer was invalid, or the run rejected it. It can be asked again with a new key. */
  | 'misfit';

interface Answers {
  /** The key with which an item is asked now; undefined if it was answered or declined. */
  askedAs(itemKey: string): string | undefined;
  /** Records a sent answer and blocks the item until `note` records the outcome. Returns false for an outdated key. */
  claim(itemKey: string, key: string): boolean;
  note(itemKey: string, outcome: AnswerOutcome, run: string, text: string): void;
  remark(run: string, text: string): void;
  lastOf(run: string): string | undefined;
  /** The keys of items that the host already knows. A wait does not end because of these. */
  announcedOf(run: string): readonly string[];
  announce(run: string, itemKeys: readonly string[]): void;
}

/** Maximum number of remembered items and runs. Above it, the oldest are forgotten and may be asked again. */
const MAX_REMEMBERED = 10_000;
const MAX_TRIES = 20;

export function createAnswers(): Answers {
  const tries = new Map<string, number>();
  const notes = new Map<string, string>();
  const announced = new Map<string, readonly string[]>();
  const claimed = new Set<string>();
  const triesAt = (itemKey: string) => tries.get(itemKey) ?? 1;
  const askedAs = (itemKey: string) => {
    const nth = triesAt(itemKey);
    if (nth > MAX_TRIES || claimed.has(itemKey)) return undefined;
    return nth === 1 ? itemKey : `${itemKey}-${nth}`;
  };
  return {
    askedAs,
    claim(itemKey, key) {
      const isAsked = askedAs(itemKey) === key;
      if (isAsked) claimed.add(itemKey);
      return isAsked;
    },
    note(itemKey, outcome, run, text) {
      claimed.delete(itemKey);
      remember(tries, itemKey, outcome === 'misfit' ? triesAt(itemKey) + 1 : Infinity);
      remember(notes, run, text);
    },
    remark: (run, text) => remember(notes, run, text),
    lastOf: (run) => notes.get(run),
    announcedOf: (run) => announced.get(run) ?? [],
    announce: (run, itemKeys) => remember(announced, run, itemKeys),
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}

export interface McpSettings {
  /** The name under which runs record the person at the host. */
  readonly by: string;
  readonly role?: string;
  /** The approval policy of the runs that the host starts, which the host cannot choose. */
  readonly approval: NonNullable<RunSettings['approval']>;
  /** Whether the host may name runs that it did not start. */
  readonly anyRun: boolean;
  /** Whether the host may decide and answer. Otherwise it gets commands for its person. */
  readonly answers: boolean;
}

export interface HostSession {
  readonly plans: Plans;
  readonly settings: McpSettings;
  readonly handedOut: AccessibleRuns;
  readonly answers: Answers;
  readonly bounds: RoomBounds;
  /** Performs an operation, with limits on its time and concurrent calls. @throws OperationError, and as `perform` */
  perform<Name extends OperationName>(name: Name, input: object, call?: HostCall): Promise<OutputOf<Name>>;
}

export interface RoomBounds {
  readonly callMs: number;
  readonly formMs: number;
}

export interface HostCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((line: ProgressLine) => void) | undefined;
}

/** Maximum number of calls of one host at once. Each may query a run several times a second. */
const MAX_AT_ONCE = 32;
/**
 * Time limit of one call in ms, below the 60 s after which hosts give up.
 * @bound one call of a host, without the time that a person spends in forms @beyond `TIMEOUT`
 */
const CALL_MS = 58_000;
/** Time limit in ms for a person to fill in a form. */
const FORM_MS = 600_000;

export function openHostSession(
  plans: Plans,
  settings: McpSettings,
  bounds: RoomBounds = { callMs: CALL_MS, formMs: FORM_MS },
): HostSession {
  const { callMs } = bounds;
  let atOnce = 0;
  return {
    bounds,
    plans,
    settings,
    handedOut: createAccessibleRuns(plans, settings.anyRun),
    answers: createAnswers(),
    perform<Name extends OperationName>(name: Name, input: object, { signal, onProgress }: HostCall = {}) {
      if (atOnce >= MAX_AT_ONCE) {
        const message = `${MAX_AT_ONCE} calls of this host are under way; wait for one of them`;
        return Promise.reject(new OperationError('REFUSED', message));
      }
      atOnce += 1;
      const over = timeoutSignal(callMs);
      const ends = signal === undefined ? over : AbortSignal.any([over, signal]);
      // Answers the call at its time limit, even if the operation does not end when the signal aborts.
      const isLate = new Promise<never>((_, reject) => {
        const message = `${name} was not done after ${callMs / 1000} s; nothing is undone by that`;
        over.addEventListener('abort', () => reject(new OperationError('TIMEOUT', message)));
      });
      return Promise.race([performSent(name, plans, input, { signal: ends, onProgress }), isLate]).finally(() => {
        atOnce -= 1;
      });
    },
  };
}
