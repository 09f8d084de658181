/** `planwright approve`, `reject` and `decide`: a decision names the plan that it decides. */

import { counted, quoteForShell } from '../../plan/text/index.ts';
import { sumOf } from '../../plan/outline/index.ts';
import { ERROR_CODES, OperationError } from '../../operations/index.ts';
import { DECISION_KINDS, type DecisionKind } from '../../protocol/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand, type Shell, type Typed } from '../define-command.ts';
import { choice, count, names, text } from '../options.ts';
import { eitherOf, PROJECT, SPEAKER } from '../flags.ts';
import type { SpeakerOptions } from '../reading/index.ts';
import { missingOfInbox } from '../view/index.ts';

const RUN = { workflowId: 'the run' };
const OF_EVERY = {
  digest: text('<digest>', 'digest of the plan that is decided; its first 8 digits suffice'),
  ...SPEAKER,
};
const OF_DECIDE = {
  kind: choice('<kind>', eitherOf(DECISION_KINDS), DECISION_KINDS),
  say: text('<text>', 'in place of --kind: yes or no in words, as they come from a chat'),
  nodes: names('<ids>', 'with approve-part: these nodes and what they depend on'),
  plan: text('<file>', 'with edit: the plan that takes the place of the open one, or - for standard input'),
  feedback: text('<text>', 'with revise: what another plan should do better'),
  revision: count('the revision that is decided, beside its digest'),
};

/** The options of the three commands together. */
type Options = Typed<typeof RUN, typeof OF_EVERY> & Partial<Typed<typeof RUN, typeof OF_DECIDE>>;

/** The option that only one kind of decision has. */
const OWN_OPTIONS = [
  { option: 'nodes', owner: 'approve-part' },
  { option: 'feedback', owner: 'revise' },
  { option: 'plan', owner: 'edit' },
] as const satisfies readonly { readonly option: keyof Options; readonly owner: DecisionKind }[];

export const approveCommand = defineCommand({
  name: 'approve',
  description: 'approve exactly the plan that a run shows, or one plan in every run that waits for it',
  examples: ['planwright approve plan-1 --digest 3fa9c1d2 --by reviewer', 'planwright approve --plan 3fa9c1d2'],
  arguments: { 'workflowId?': 'the run; none with --plan' },
  flags: {
    ...OF_EVERY,
    nodes: names('<ids>', 'only these nodes and what they depend on, by id or key'),
    plan: text('<digest>', 'every run that waits for the approval of this plan, each by a decision of its own'),
  },
  run({ plan, workflowId, ...typed }, shell) {
    if (plan !== undefined && (workflowId ?? typed.nodes ?? typed.digest) === undefined)
      return approveEach(plan, typed, shell);
    if (workflowId === undefined || plan !== undefined)
      throw new OperationError(
        'USAGE',
        'give the run whose plan is approved, or --plan DIGEST alone for every run of it',
      );
    return decideAs(typed.nodes === undefined ? 'approve' : 'approve-part', { ...typed, workflowId }, shell);
  },
});

async function approveEach(plan: string, typed: SpeakerOptions, { output, perform, plans }: Shell<unknown>) {
  const { speakerOf } = await import('../reading/index.ts');
  const told = await perform('approveAll', { digest: plan, ...speakerOf(typed) });
  const { approved, refused } = told;
  const lines = [
    ...approved.map(({ workflowId, reply }) => `${workflowId}: ${reply}`),
    ...refused.map(({ workflowId, message }) => `${workflowId}: refused: ${message}`),
    `${counted(approved.length, 'run')} approved${refused.length === 0 ? '' : `, ${refused.length} refused`}`,
  ];
  output.print(
    { ok: refused.length === 0, ...told },
    () => lines.join('\n'),
    () => [...approved, ...refused],
  );
  const silent = { items: [], more: 0, groups: [], unreachable: told.unreachable, notAsked: told.notAsked };
  for (const line of missingOfInbox(silent)) output.note(`${output.paint('yellow', 'note')}: ${line}`);
  const [first] = approved;
  if (first !== undefined)
    await (await import('../working/index.ts')).noteMissing(await plans.run(first.workflowId), output);
  const [wrong] = refused;
  return wrong === undefined ? 'done' : ERROR_CODES[wrong.code].exit;
}

export const rejectCommand = defineCommand({
  name: 'reject',
  description: 'reject the plan that a run shows, which ends the run or asks for an edit',
  examples: ['planwright reject plan-1 --digest 3fa9c1d2 --by reviewer'],
  arguments: RUN,
  flags: OF_EVERY,
  run: (typed, shell) => decideAs('reject', typed, shell),
});

export const decideCommand = defineCommand({
  name: 'decide',
  description: 'decide on the plan that a run shows, in any way that there is',
  examples: ['planwright decide plan-1 --kind edit --digest 3fa9c1d2 --plan new.json'],
  arguments: RUN,
  flags: { ...OF_EVERY, ...OF_DECIDE, ...PROJECT },
  // Only plans go through the store; to read the config for nothing else would be slow, and it may be broken.
  readsConfig: ({ kind }) => kind === 'edit' || kind === 'revise',
  async run(typed, shell) {
    const { kind, say } = typed;
    if ((kind === undefined) === (say === undefined)) {
      throw new OperationError(
        'USAGE',
        `give --kind, which is ${DECISION_KINDS.join(', ')}, or --say with yes or no in words`,
      );
    }
    const { yesOrNo } = await import('../reading/index.ts');
    return decideAs(kind ?? (yesOrNo(say ?? '') ? 'approve' : 'reject'), typed, shell);
  },
});

async function decideAs(kind: DecisionKind, typed: Options, shell: Shell<unknown>) {
  const { output, perform, plans } = shell;
  checkOptions(kind, typed);
  const { readDocument, speakerOf } = await import('../reading/index.ts');
  const plan = typed.plan === undefined ? undefined : await readDocument(typed.plan);
  const decision = { kind, ...speakerOf(typed), nodes: typed.nodes, plan, feedback: typed.feedback };
  const asked = typed.digest === undefined ? await askFor(kind, typed, shell) : { digest: typed.digest };
  if (asked === undefined) return 'waiting';
  if (kind === 'revise')
    output.note('the planner writes another plan, which may take minutes; the run hears of it either way');
  const { workflowId, revision } = typed;
  const told = await perform('decide', { workflowId, ...decision, revision, ...asked });
  const { text: changes, note, ...record } = told;
  if (note !== undefined) output.note(`${output.paint('yellow', 'note')}: ${note}`);
  output.print({ ok: true, ...record }, () =>
    [`${workflowId}: ${told.reply}`, ...(changes === undefined ? [] : [changes])].join('\n'),
  );
  // It takes the config, which may take a second: the reply is shown by then.
  if (kind.startsWith('approve'))
    await (await import('../working/index.ts')).noteMissing(await plans.run(workflowId), output);
  return 'done';
}

function checkOptions(kind: DecisionKind, options: Options): void {
  for (const { option, owner } of OWN_OPTIONS) {
    const isGiven = options[option] !== undefined;
    if (isGiven === (kind === owner)) continue;
    const message = isGiven ? `--${option} goes with --kind ${owner}, not with ${kind}` : `${kind} needs --${option}`;
    throw new OperationError('USAGE', message);
  }
}

/** Without a digest a person must have seen the plan; a script must say which one it means. Undefined: it is left open. */
async function askFor(kind: DecisionKind, options: Options, { output, flags, plans, perform }: Shell<unknown>) {
  const { run } = await plans.run(options.workflowId);
  const { digest } = await run.plan();
  if (digest === '')
    throw new OperationError('REFUSED', `run ${run.workflowId} has no plan yet; try again in a moment`);
  if (!output.canAsk) {
    const id = quoteForShell(run.workflowId);
    const command = asTyped(`${typedAs(kind, id, options)} --digest ${digest.slice(0, 8)}${flags}`);
    const message = `a decision must name the plan it decides. The open one is ${digest}; look at it with \`${asTyped(`status ${id}${flags}`)}\`, then: ${command}`;
    throw new OperationError('USAGE', message, { digest, command });
  }
  const { askDecision } = await import('../reading/index.ts');
  const { openPlanText } = await import('../plan-text.ts');
  const shown = await perform('shown', { workflowId: options.workflowId });
  const { nodes } = shown;
  const asked = options.nodes === undefined ? nodes : nodes.filter(({ id, key }) => isNamed(options, id, key));
  const warning = shown.approval?.warning === undefined ? '' : `${shown.approval.warning}\n`;
  output.note(`${openPlanText(shown, output)}\n\n${warning}${sumOf(asked)}`);
  const roles = options.role === undefined ? shown.approval?.roles : undefined;
  const chosen = await askDecision(`${QUESTIONS[kind]} this plan?`, { kind, roles });
  return chosen === 'leave' ? undefined : { ...chosen, digest: shown.digest };
}

function isNamed({ nodes = [] }: Options, ...said: readonly (string | undefined)[]): boolean {
  return said.some((name) => name !== undefined && nodes.includes(name));
}

const QUESTIONS = {
  approve: 'Approve',
  'approve-part': 'Approve this part of',
  reject: 'Reject',
  revise: 'Ask for another plan than',
  edit: 'Replace',
  withdraw: 'Take back your approval of',
} as const satisfies Record<DecisionKind, string>;

function typedAs(kind: DecisionKind, id: string, { nodes, plan, feedback }: Options): string {
  if (kind === 'approve' || kind === 'reject') return `${kind} ${id}`;
  const own = Object.entries({ nodes: nodes?.join(','), plan, feedback }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${quoteForShell(value)}`],
  );
  return `decide ${id} --kind ${kind}${own.join('')}`;
}
