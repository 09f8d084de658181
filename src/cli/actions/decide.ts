/** `planwright decide`, `approve` and `reject`: a decision names the plan that it decides. */

import type { RunHandle } from '../../client/index.ts';
import { storeDir } from '../../config/index.ts';
import type { PlanIssue } from '../../plan/index.ts';
import { DECISION_KINDS, type Decision, type DecisionKind } from '../../contract/index.ts';
import { parseDecision } from '../../run/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError, toCliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { askDecision } from './ask.ts';
import { withRun, type Session } from './connect.ts';
import { shellWord } from './open-lines.ts';
import { openStoreDir, type ProjectOptions } from './open-project.ts';
import { noteIssues } from './plan-issues.ts';
import { readDocument } from './read-plan.ts';
import { openSigner, speakerOf, type SpeakerOptions } from './speaker.ts';
import { choiceOption, countOption, namesOption } from './values.ts';
import { yesOrNo } from './yes-no.ts';

export interface DecideOptions extends SpeakerOptions, ProjectOptions {
  readonly digest?: string;
  readonly kind?: string;
  readonly say?: string;
  readonly nodes?: string;
  readonly plan?: string;
  readonly feedback?: string;
  readonly revision?: string;
}

/** The option that only one kind of decision has. */
const OWN_OPTIONS = { nodes: 'approve-part', feedback: 'revise', plan: 'edit' } as const;

type Typed = DecideOptions & GlobalOptions;

export function approve(options: Typed, output: Output, workflowId: string): Promise<number> {
  return decideAs(options.nodes === undefined ? 'approve' : 'approve-part', options, output, workflowId);
}

export function reject(options: Typed, output: Output, workflowId: string): Promise<number> {
  return decideAs('reject', options, output, workflowId);
}

export async function decide(options: Typed, output: Output, workflowId: string): Promise<number> {
  return decideAs(kindOf(options), options, output, workflowId);
}

/** @throws CliError USAGE when what was typed is no decision. */
export function decisionOf(kind: DecisionKind, options: DecideOptions, digest: string, plan?: unknown): Decision {
  const nodes = namesOption(options.nodes);
  const revision = countOption('--revision', options.revision);
  const { feedback } = options;
  const parsed = parseDecision({
    kind,
    digest,
    ...speakerOf(options),
    ...(nodes !== undefined && { nodes }),
    ...(revision !== undefined && { revision }),
    ...(feedback !== undefined && { feedback }),
    ...(plan !== undefined && { plan }),
  });
  if (parsed.ok) return parsed.decision;
  throw new CliError('USAGE', parsed.reason);
}

/** Tells the run, and returns what it answers. What is wrong with the plan of an edit is told on stderr. */
export async function tell(run: RunHandle, decision: Decision, output: Output): Promise<string> {
  try {
    return (await run.decide(decision)).reply;
  } catch (error) {
    const known = toCliError(error);
    if (Array.isArray(known.details['issues'])) noteIssues(known.details['issues'] as readonly PlanIssue[], output);
    throw known;
  }
}

async function decideAs(kind: DecisionKind, options: Typed, output: Output, workflowId: string): Promise<number> {
  checkOptions(kind, options);
  const plan = options.plan === undefined ? undefined : await readDocument(options.plan);
  const named = options.digest === undefined ? undefined : decisionOf(kind, options, options.digest, plan);
  const signer = await openSigner(options);
  // Only a plan goes through the store; to read the config for nothing else would be slow, and it may be broken.
  const dir = plan === undefined ? storeDir(process.cwd()) : await openStoreDir(options);
  return withRun(options, { storeDir: dir, workflowId, signer }, async (run, session) => {
    const decision = named ?? (await askFor(kind, options, plan, output, run, session));
    if (decision === undefined) return exitCode('waiting');
    const reply = await tell(run, decision, output);
    const { plan: _, ...said } = decision;
    output.print({ ok: true, workflowId, ...said, reply }, () => `${workflowId}: ${reply}`);
    return exitCode('done');
  });
}

/** Words of a chat stand for approve or reject. */
function kindOf({ kind, say }: DecideOptions): DecisionKind {
  if ((kind === undefined) === (say === undefined)) {
    throw new CliError('USAGE', `give --kind, which is ${DECISION_KINDS.join(', ')}, or --say with yes or no in words`);
  }
  if (say !== undefined) return yesOrNo(say) ? 'approve' : 'reject';
  return choiceOption('--kind', kind, DECISION_KINDS) ?? 'approve';
}

function checkOptions(kind: DecisionKind, options: DecideOptions): void {
  for (const [name, owner] of Object.entries(OWN_OPTIONS) as [keyof typeof OWN_OPTIONS, DecisionKind][]) {
    const given = options[name] !== undefined;
    if (given === (kind === owner)) continue;
    const flag = `--${name}`;
    throw new CliError(
      'USAGE',
      given ? `${flag} goes with --kind ${owner}, not with ${kind}` : `${kind} needs ${flag}`,
    );
  }
}

/** Without a digest a person must have seen the plan; a script must say which one it means. */
async function askFor(
  kind: DecisionKind,
  options: Typed,
  plan: unknown,
  output: Output,
  run: RunHandle,
  { flags }: Session,
): Promise<Decision | undefined> {
  const { digest, text } = await run.plan();
  if (digest === '') throw new CliError('REFUSED', `run ${run.workflowId} has no plan yet; try again in a moment`);
  if (!output.canAsk) {
    const id = shellWord(run.workflowId);
    const command = `planwright ${typedAs(kind, options)} --digest ${digest.slice(0, 8)}${flags}`.replace(
      'RUN',
      () => id,
    );
    const message = `a decision must name the plan it decides. The open one is ${digest}; look at it with \`planwright status ${id}${flags}\`, then: ${command}`;
    throw new CliError('USAGE', message, { digest, command });
  }
  output.note(`${text.trimEnd()}\n\ndigest ${digest}`);
  const chosen = await askDecision(`${QUESTIONS[kind]} this plan?`, kind);
  if (chosen === 'leave') return undefined;
  return decisionOf(chosen, options, digest, plan);
}

const QUESTIONS: Readonly<Record<DecisionKind, string>> = {
  approve: 'Approve',
  'approve-part': 'Approve this part of',
  reject: 'Reject',
  revise: 'Ask for another plan than',
  edit: 'Replace',
  withdraw: 'Take back your approval of',
};

function typedAs(kind: DecisionKind, { nodes, plan, feedback }: DecideOptions): string {
  if (kind === 'approve' || kind === 'reject') return `${kind} RUN`;
  const own = Object.entries({ nodes, plan, feedback }).filter(([, value]) => value !== undefined);
  return `decide RUN --kind ${kind}${own.map(([name, value]) => ` --${name} ${shellWord(value ?? '')}`).join('')}`;
}
