import { wrap } from '../../plan/lines/index.ts';
import { counted, quoteForShell, visible } from '../../plan/text/index.ts';
import { sumOf } from '../../plan/outline/index.ts';
import { ERROR_CODES, OperationError, wrongUsage, type InputOf, type OutputOf } from '../../operations/index.ts';
import { effectLines, missingOfInbox } from '../../operations/words/index.ts';
import { given, type DecisionKind, type OpenItem } from '../../protocol/index.ts';
import { asTyped, typedAgain } from '../typed-command.ts';
import type { Shell } from '../define-command.ts';
import type { View } from '../row-command.ts';
import { commandFor, replyText } from '../view/index.ts';

type Input = { readonly [Field in keyof InputOf<'decide'>]?: InputOf<'decide'>[Field] | undefined };
type Decided = OutputOf<'decide'>;

const decisionView = {
  fails: (answer) => 'refused' in answer && answer.refused.length > 0,
  exit(answer) {
    const [wrong] = 'refused' in answer ? answer.refused : [];
    return wrong === undefined ? 'done' : ERROR_CODES[wrong.code].exit;
  },
  show(answer) {
    if (!('approved' in answer))
      return [replyText(answer), ...(answer.text === undefined ? [] : [answer.text])].join('\n');
    const { approved, refused } = answer;
    return [
      ...approved.map(({ workflowId, reply }) => `${workflowId}: ${reply}`),
      ...refused.map(({ workflowId, message }) => `${workflowId}: refused: ${message}`),
      `${counted(approved.length, 'run')} approved${refused.length === 0 ? '' : `, ${refused.length} refused`}`,
    ].join('\n');
  },
  notes(answer, { output }) {
    const silent = 'approved' in answer && missingOfInbox({ items: [], more: 0, groups: [], ...answer });
    const lines = silent || ('note' in answer && answer.note !== undefined ? [answer.note] : []);
    return lines.map((line) => `${output.paint('yellow', 'note')}: ${line}`);
  },
} satisfies View<'approve'>;

export const approveView: View<'approve'> = {
  ...decisionView,
  async handle(work, { plan, ...input }, shell) {
    if (plan !== undefined || input.workflowId === undefined) return work();
    return decideAs(input.nodes === undefined ? 'approve' : 'approve-part', input, shell);
  },
};

export function verbView(kind: Exclude<DecisionKind, 'approve' | 'approve-part'>): View<'reject'> {
  return { ...decisionView, handle: (_work, input, shell) => decideAs(kind, input, shell) };
}

export const effectsView: View<'effects'> = {
  show: ({ effects, command }, { output, flags }) =>
    [...effectLines({ effects }).flatMap((line) => wrap(line, output.lineColumns)), '', `${command}${flags}`].join(
      '\n',
    ),
  json: ({ command, ...answer }, { flags }) => ({ ...answer, command: `${command}${flags}` }),
};

async function decideAs(kind: DecisionKind, input: Input, shell: Shell): Promise<Decided | undefined> {
  const { workflowId = '', by = '', digest } = input;
  const chosen = digest === undefined ? await askFor(kind, { ...input, workflowId }, shell) : { kind, digest };
  if (chosen?.kind === 'revise')
    shell.output.note('the planner writes another plan, which may take minutes; the run hears of it either way');
  return chosen && shell.perform('decide', { ...input, workflowId, by, ...chosen });
}

/** Shows the open plan and asks for the decision; undefined if undecided. A script must name the digest. */
async function askFor(kind: DecisionKind, input: Input & { readonly workflowId: string }, shell: Shell) {
  const { output, flags, plans, perform } = shell;
  const { workflowId, role, nodes: named = [] } = input;
  const { run } = await plans.run(workflowId);
  const {
    open: items,
    plan: { digest },
  } = await run.view(['plan', 'open']);
  if (digest === '') throw new OperationError('REFUSED', `run ${workflowId} has no plan yet; try again in a moment`);
  if (!output.canAsk) {
    const id = quoteForShell(workflowId);
    const command = commandTyped(kind, { workflowId, digest, items }, shell);
    const message = `a decision must name the plan it decides. The open one is ${digest}; look at it with \`${asTyped(`status ${id}${flags}`)}\`, then: ${command}`;
    throw wrongUsage(message, { digest, command });
  }
  const { askDecision } = await import('../reading/index.ts');
  const { openPlanText } = await import('../plan-text.ts');
  const open = await perform('shown', { workflowId });
  const isNamed = (name: string | undefined) => name !== undefined && named.includes(name);
  const nodes = named.length === 0 ? open.nodes : open.nodes.filter(({ id, key }) => isNamed(id) || isNamed(key));
  const warning = open.approval?.warning === undefined ? '' : `${open.approval.warning}\n`;
  const { approval } = open;
  const lines = approval?.send.name === 'approve' ? effectLines(approval) : [];
  const text = wrap(visible([sumOf(nodes), ...lines].join('\n'), { lines: true }), output.columns).join('\n');
  output.note(`${openPlanText(open, output)}\n\n${warning}${text}`);
  if (approval?.leftOut !== undefined && kind.startsWith('approve') && shell.typed['allSeen'] === undefined) {
    output.note(`show all of it with: ${commandFor(approval, flags)}`);
    return undefined;
  }
  const roles = role === undefined ? open.approval?.roles : undefined;
  const chosen = await askDecision(`${QUESTIONS[kind]} this plan?`, { kind, roles });
  return chosen === 'leave' ? undefined : { ...chosen, digest: open.digest, ...given({ shown: approval?.shown }) };
}

const QUESTIONS = {
  approve: 'Approve',
  'approve-part': 'Approve this part of',
  reject: 'Reject',
  revise: 'Ask for another plan than',
  edit: 'Replace',
  withdraw: 'Take back your approval of',
} as const satisfies Record<DecisionKind, string>;

interface OpenPlan {
  readonly workflowId: string;
  readonly digest: string;
  readonly items: readonly OpenItem[];
}

/** The command with the open plan's digest or, if the card does not show all effects, the command that does. */
function commandTyped(kind: DecisionKind, { workflowId, digest, items }: OpenPlan, { typed, flags }: Shell): string {
  const isApproval = kind === 'approve' || kind === 'approve-part';
  const item = items.find(({ send, workflowId: of }) => send.name === 'approve' && of === workflowId);
  if (isApproval && item?.leftOut !== undefined && typed['allSeen'] === undefined) return commandFor(item, flags);
  const shown = isApproval ? (item?.send.input['shown'] as string | undefined) : undefined;
  const own = typedAgain(typed, ['nodes', 'feedback', 'plan', 'allSeen', 'role', 'comment', 'by', 'key', 'kid']);
  const plan = ` --digest ${digest.slice(0, 8)}${shown === undefined ? '' : ` --shown ${shown.slice(0, 8)}`}`;
  return asTyped(`${isApproval ? 'approve' : kind} ${quoteForShell(workflowId)}${own}${plan}${flags}`);
}
