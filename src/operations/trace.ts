import type { RunHandle } from '../client/index.ts';
import { quoteForShell } from '../plan/text/index.ts';
import { given, type TraceEntry } from '../protocol/index.ts';
import { wrongUsage } from './operation-error.ts';
import { countField, flagField, IN_PROJECT, operation } from './operation.ts';
import type { Plans } from './plans.ts';
import type { RoundView } from './words/index.ts';
import { seeNodes } from './run-facts.ts';

type Seen = Awaited<ReturnType<typeof seeNodes>>;

/**
 * Lists decisions and events in order, and each node's last attempt: its start, worker, number and end. JSON has the
 * nodes as `nodes`, like `status --nodes`. jsonl is the audit: `{"seq","at","what","text","said"?}`. `what` is
 * `planned`, `compiled`, `decision`, `answer`, `control`, `refused`, `asked`, `node`, `held` or `closed`. `said` is the
 * message, for a decision `{"kind","digest","by","role"?,"comment"?,"verified","token"?,...}`; `verified` says whether
 * a signature proved the sender. The value of an answer is in the result store, under `said.ref`. The trace has all
 * decisions, answers and control messages, the first 500 `refused`, and the first 5000 each of `asked` and `node`;
 * `dropped` counts the others.
 *
 * `--rounds`, for a loop: what decided each round, the stages that did something, the decision before and after each
 * corrector, the step, and how the previous step ended. jsonl:
 * `{"round","line","policy"?,"origin"?,"decider"?,"decision"?,"visits"?,"happened"?,"trouble"?,"results"?}`; `results`
 * has the handles of its step by context key.
 */
export const trace = operation({
  command: {
    words: 'trace <workflow-id>',
    hides: ['missing'],
    lines: ['entries', 'rounds'],
    example: 'trace plan-1 -o jsonl',
    place: IN_PROJECT,
    from: { nodes: 'none' },
    flags: (z) => ({
      format: z.enum(['text', 'markdown']).default('text').describe('of --rounds: text or markdown'),
    }),
    more: 'With -o jsonl it prints the audit, an object a line.',
  },
  does: 'Show what happened to a run, and who decided what.',
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      after: z.int().nonnegative().default(0).describe('only what came after this entry'),
      nodes: z.boolean().default(true).describe('false: only what the run itself has noted, which is its audit'),
      rounds: flagField(
        z,
        'the rounds of its loop: who decided, the stages visited, the decision before and after each corrector',
      ),
      last: countField(z, 'with --rounds: the newest so many'),
    }),
  async run(plans, { workflowId, after, nodes: wanted, rounds: ofLoop, last: max }): Promise<Trace> {
    if (ofLoop === true)
      return { workflowId, entries: [], dropped: 0, nodes: [], loop: await loopOf(plans, workflowId, max) };
    if (max !== undefined) throw wrongUsage('--last goes with --rounds; of the entries, --after tells where to begin');
    const { run } = await plans.run(workflowId);
    const { trace: page } = await run.view(['trace'], { after });
    return { workflowId, ...page, ...(wanted ? await carriedOut(run) : { nodes: [] }) };
  },
});

type Trace = Awaited<ReturnType<typeof carriedOut>> & {
  readonly workflowId: string;
  readonly entries: readonly TraceEntry[];
  readonly dropped: number;
  /** The rounds of the loop. With `--rounds` they replace the entries. */
  readonly loop?: Awaited<ReturnType<typeof loopOf>>;
};

/** The nodes that workers executed, with times from the server. The run itself records only failed nodes. */
async function carriedOut(run: RunHandle): Promise<Pick<Seen, 'nodes' | 'missing'>> {
  const { nodes: all, status } = await run.view(['nodes', 'status']);
  const started = all.filter(({ scheduledAt }) => scheduledAt !== undefined);
  if (started.length === 0) return { nodes: [] };
  const { nodes, missing } = await seeNodes(run, started, status.revision, { gives: false });
  return { nodes: nodes.filter(({ worker }) => worker !== undefined), ...(missing !== undefined && { missing }) };
}

async function loopOf(plans: Plans, workflowId: string, max: number | undefined) {
  const { run } = await plans.run(workflowId);
  const { loop } = (await run.view(['status'])).status;
  if (loop === undefined) {
    const command = plans.typed(`trace ${quoteForShell(workflowId)}`);
    throw wrongUsage(`run ${workflowId} follows a plan and has no rounds; see: ${command}`);
  }
  const { notes, round, maxRounds } = loop;
  const { rounds } = notes === undefined ? { rounds: [] } : await run.view(['rounds'], given({ notes, last: max }));
  const { nodes } = await run.view(['nodes']);
  const last = nodes.flatMap(({ id, key = id, result }) => (result === undefined ? [] : [[key, result] as const]));
  const observed = new Set(rounds.flatMap(({ happened }) => Object.keys(happened?.results ?? {})));
  // The record of the next round has the results of a step. For the last step, the run is asked.
  const withResults = rounds.map((one, at): RoundView => {
    const next = rounds[at + 1]?.happened;
    const unobserved = Object.fromEntries(at === rounds.length - 1 ? last.filter(([key]) => !observed.has(key)) : []);
    const results = next?.round === one.round ? next.results : unobserved;
    return { ...one, ...(Object.keys(results).length > 0 && { results }) };
  });
  return { workflowId, round, maxRounds, rounds: withResults };
}
