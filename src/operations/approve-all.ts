/** One word for equal plans: each run that waits for the approval of a plan gets a decision of its own, for its own revision. */

import type { InboxItem } from '../client/index.ts';
import { given, isWholeDigest } from '../protocol/index.ts';
import { checkDigest, eachAtOnce } from './list.ts';
import type { ErrorCode } from './error-codes.ts';
import { OperationError, toOperationError } from './operation-error.ts';
import { operation } from './operation.ts';

/** Runs that are looked at, as many as an inbox asks. */
const MOST = 1000;

/** A run as it was shown to the one who approves: its plan may be another one by now. */
interface ShownRun {
  readonly workflowId: string;
  readonly revision: number;
}

export const approveAll = operation({
  name: 'approve-all',
  does: 'Approves a plan in every run that waits for its approval, or in those that are named. Each has a decision of its own.',
  readOnly: false,
  destructive: true,
  input: (z) =>
    z.object({
      digest: z.string().describe('the plan that is meant; the first 8 digits of its digest suffice'),
      by: z.string().describe('who says it'),
      role: z.string().optional().describe('in which role'),
      comment: z.string().optional().describe('why'),
      runs: z
        .array(z.object({ workflowId: z.string(), revision: z.int().positive() }))
        .readonly()
        .optional()
        .describe('the runs that were shown, each with its revision; default: all that wait for it now'),
    }),
  output: (z) =>
    z.looseObject({
      digest: z.string(),
      approved: z.array(z.looseObject({ workflowId: z.string(), reply: z.string() })),
      refused: z.array(z.looseObject({ workflowId: z.string(), code: z.string(), message: z.string() })),
    }),
  async run(plans, { digest: named, runs: shown, ...speaker }) {
    checkDigest(named);
    const session = await plans.session();
    const { items, unreachable, notAsked } = await session.plans.inbox({ plan: named, limit: MOST });
    const waiting = items.filter(({ send }) => send.name === 'approve');
    const silent = unreachable.length + notAsked;
    const digest = oneDigest(named, waiting, shown !== undefined, silent);
    const runs: readonly ShownRun[] = shown ?? waiting;
    oneVersion(waiting.filter((item) => runs.some((run) => run.workflowId === item.workflowId)));
    const refused: { workflowId: string; code: ErrorCode; message: string; refusal?: unknown }[] = [];
    const approved: { workflowId: string; revision: number; reply: string }[] = [];
    await eachAtOnce(runs, async ({ workflowId, revision }) => {
      try {
        const { run } = await plans.run(workflowId);
        const { reply } = await run.decide({ kind: 'approve', digest, revision, ...given(speaker) });
        approved.push({ workflowId, revision, reply });
      } catch (error) {
        const { code, message, details } = toOperationError(error, (command) => plans.typed(command));
        if (code === 'INTERNAL' || code === 'NO_SERVER') throw error;
        refused.push({ workflowId, code, message, ...given({ refusal: details['refusal'] }) });
      }
    });
    return { digest, approved, refused, unreachable, notAsked };
  },
});

/** @throws OperationError USAGE where the runs would carry out one plan with two versions of what it calls */
function oneVersion(waiting: readonly InboxItem[]): void {
  const versions = new Set(waiting.map((item) => item.versions));
  if (versions.size <= 1) return;
  const [first] = waiting;
  const other = waiting.find((item) => item.versions !== first?.versions);
  throw new OperationError(
    'USAGE',
    `the runs ${first?.workflowId} and ${other?.workflowId} have this plan with different versions of a capability or an agent; approve each by its id`,
  );
}

/** @throws OperationError USAGE where the digits fit two plans, REFUSED where no run waits for it */
function oneDigest(named: string, waiting: readonly InboxItem[], isShown: boolean, silent: number): string {
  const digests = [...new Set(waiting.map(({ digest }) => digest))];
  const [only] = digests;
  if (digests.length === 1 && only !== undefined) return only;
  if (digests.length > 1)
    throw new OperationError('USAGE', `${digests.length} plans begin with ${named}; name more digits`, { digests });
  if (isShown && isWholeDigest(named)) return named.toLowerCase();
  const more = silent === 0 ? '' : `; ${silent} runs did not answer`;
  throw new OperationError('REFUSED', `no run waits for the approval of plan ${named}${more}`);
}
