import { visibleFacts, seenRun } from '../client/inbox.ts';
import type { InboxItem, SeenRun } from '../client/index.ts';
import { given, isWholeDigest } from '../protocol/index.ts';
import { checkSeen } from './effects.ts';
import { checkDigest, eachAtOnce } from './list.ts';
import { OperationError, wrongUsage, toOperationError } from './operation-error.ts';
import { MAY_ACT, namesField, operation, SIGNED, textField } from './operation.ts';
import type { Plans } from './plans.ts';
import { allSeen, decideOnPlan, FROM_PERSON, ofDecision, shownField } from './say.ts';

/** Maximum number of runs that are approved together: as many as an inbox lists. */
const MAX_REQUESTS = 1000;

/**
 * Approves the plan of one run, by its digest. Without `--digest`, a person at a terminal sees the plan and is asked. A
 * script gets the open digest, the command with that digest, and exit 2. A decision on another plan, or on a decided
 * one, exits 6 and changes nothing. If no worker answers, the server stores the decision. `approve --plan DIGEST`,
 * without a run, approves the plan in each run that waits for it (docs/approval.md#the-inbox); the exit is that of the
 * first refusal. JSON:
 * `{"ok","digest","approved":[{"workflowId","revision","reply"}],"refused":[{"workflowId","code","message","refusal"?}],"unreachable","notAsked"}`;
 * jsonl is a run a line.
 */
export const approve = operation({
  command: {
    words: 'approve [workflow-id]',
    hides: ['text', 'note'],
    lines: ['approved', 'refused'],
    example: 'approve plan-1 --digest 3fa9c1d2 --by reviewer',
    place: SIGNED,
    from: FROM_PERSON,
  },
  does: 'Approve exactly the plan that a run shows.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      ...ofDecision(z),
      workflowId: textField(z, 'the run; none with --plan'),
      digest: ofDecision(z).digest.optional(),
      nodes: namesField(z, 'only these nodes and what they depend on, by id or key'),
      plan: textField(z, 'digest: every run that waits for the approval of this plan, each by a decision of its own'),
      allSeen: allSeen(z),
      shown: shownField(z),
      runs: z.custom<readonly SeenRun[]>().optional().describe('with the plan: those that were shown; default: all'),
    }),
  async run(plans, { workflowId, digest, nodes, plan, runs, shown, allSeen: seen, ...speaker }) {
    if (plan !== undefined && (workflowId ?? digest ?? nodes) === undefined)
      return approveEach(plans, plan, { ...speaker, runs, seen });
    if (workflowId === undefined || plan !== undefined || digest === undefined)
      throw wrongUsage('give the run whose plan is approved, or --plan DIGEST alone for every run of it');
    const kind = nodes === undefined ? 'approve' : 'approve-part';
    return decideOnPlan.run(plans, { workflowId, kind, digest, nodes, shown, allSeen: seen, ...speaker });
  },
});

interface ForEach extends Pick<Parameters<typeof decideOnPlan.run>[1], 'by' | 'role' | 'comment'> {
  readonly runs: readonly SeenRun[] | undefined;
  readonly seen: number | undefined;
}

async function approveEach(plans: Plans, named: string, { runs: shownRuns, seen, ...speaker }: ForEach) {
  checkDigest(named);
  const session = await plans.session();
  const { items, unreachable, notAsked } = await session.plans.inbox({ plan: named, limit: MAX_REQUESTS });
  const waiting = items.filter(({ send }) => send.name === 'approve');
  const silent = unreachable.length + notAsked;
  const digest = oneDigest(named, waiting, shownRuns !== undefined, silent);
  const runs = shownRuns ?? waiting.map(seenRun);
  shownAlike(waiting.filter((item) => runs.some((run) => run.workflowId === item.workflowId)));
  const ends = await eachAtOnce(runs, async ({ workflowId, revision, shown }) => {
    try {
      const approving = await plans.run(workflowId);
      await checkSeen(approving, digest, seen);
      const { reply } = await approving.run.decide({
        kind: 'approve',
        digest,
        revision,
        ...given({ shown, ...speaker }),
      });
      return { workflowId, revision, reply };
    } catch (error) {
      const { code, message, details } = toOperationError(error, plans.typed);
      if (code === 'INTERNAL' || code === 'NO_SERVER') throw error;
      return { workflowId, code, message, ...given({ refusal: details['refusal'] }) };
    }
  });
  const approved = ends.filter((end) => 'reply' in end);
  const refused = ends.filter((end) => 'code' in end);
  return { digest, approved, refused, unreachable, notAsked };
}

/** @throws OperationError USAGE if the runs that wait with this plan have different versions, costs or states */
function shownAlike(waiting: readonly InboxItem[]): void {
  const [first, ...others] = waiting;
  if (first === undefined) return;
  const different = others.find((item) => visibleFacts(item) !== visibleFacts(first));
  if (different === undefined) return;
  const what = different.versions === first.versions ? 'costs or states' : 'versions of a capability or an agent';
  throw wrongUsage(
    `the runs ${first.workflowId} and ${different.workflowId} have this plan with different ${what}; approve each by its id`,
  );
}

/**
 * Finds the full digest.
 * @throws OperationError USAGE if the digits match two plans, REFUSED if no run waits
 */
function oneDigest(named: string, waiting: readonly InboxItem[], isShown: boolean, silent: number): string {
  const digests = [...new Set(waiting.map(({ digest }) => digest))];
  const [only] = digests;
  if (digests.length === 1 && only !== undefined) return only;
  if (digests.length > 1)
    throw wrongUsage(`${digests.length} plans begin with ${named}; name more digits`, { digests });
  if (isShown && isWholeDigest(named)) return named.toLowerCase();
  const more = silent === 0 ? '' : `; ${silent} runs did not answer`;
  throw new OperationError('REFUSED', `no run waits for the approval of plan ${named}${more}`);
}
