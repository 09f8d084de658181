/** What a run waits for a person to say: each thing with the exact message that says it. */

import type { JsonValue } from '../plan/index.ts';
import { rolesFor, rolesNeeded } from './coverage.ts';
import { askingNodes, type Run } from './run.ts';
import { nodeId } from './slice.ts';

export const OPEN_ITEM_KINDS = ['approval', 'question', 'uncertain', 'failed'] as const;

export interface OpenItem {
  /** Of a question the id that its answer names; else `approval`, or the node's id. */
  readonly id: string;
  readonly kind: (typeof OPEN_ITEM_KINDS)[number];
  /** The workflow to address. */
  readonly workflowId: string;
  readonly digest: string;
  readonly revision: number;
  readonly text: string;
  /** ISO 8601. */
  readonly since: string;
  readonly deadline: string;
  /** Whose word it waits for; anybody's when absent. */
  readonly roles?: readonly string[];
  /** The nodes it is about, at most 20 of them, and how many there are. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  /** Only signed messages are taken. */
  readonly signed?: true;
  readonly schema?: Readonly<Record<string, JsonValue>>;
  readonly default?: JsonValue;
  readonly suggestions?: readonly JsonValue[];
  /** The message to send, as a signal or an update, with what a person must fill in written in capitals. */
  readonly send: {
    readonly name: 'approve' | 'decide' | 'answer' | 'control';
    readonly input: Readonly<Record<string, JsonValue>>;
  };
}

const NODES_NAMED = 20;
/** A question is at most 8 kB; the answer to a query is at most 2 MiB. */
const ITEMS_PER_PAGE = 100;
/** The server takes at most 2 kB in a search attribute; a run that sends more can do nothing else any more. */
const ROLES_BYTES = 1900;
const MAX_TEXT = 500;
const APPROVERS_NAMED = 8;
const ROLES_NAMED = 8;
const WHO = 'YOUR NAME';

/** A page of what is open, the approval first, then as it came. `after` is the id of the last item that is known. */
export function questionsOf(run: Run, page: { after?: unknown; limit?: unknown } = {}): readonly OpenItem[] {
  const items = openItems(run);
  const from = items.findIndex(({ id }) => id === page.after) + 1;
  const limit = Number.isInteger(page.limit)
    ? Math.min(Math.max(page.limit as number, 1), ITEMS_PER_PAGE)
    : ITEMS_PER_PAGE;
  return items.slice(from, from + limit);
}

/** The roles that the run waits for; `anyone` where no role is asked for, and for those that are too many to name. */
export function rolesWaitedFor(run: Run): readonly string[] {
  const roles = [...new Set(openItems(run).flatMap((item) => item.roles ?? ['anyone']))].toSorted();
  const fitting: string[] = [];
  let size = 0;
  for (const role of roles) {
    // A character takes up to 3 bytes of UTF-8.
    size += 3 * (JSON.stringify(role).length + 1);
    if (size > ROLES_BYTES) return [...new Set([...fitting, 'anyone'])].toSorted();
    fitting.push(role);
  }
  return fitting;
}

export function openItems(run: Run): readonly OpenItem[] {
  if (run.approval.phase === 'closed' || run.approval.phase === 'drafting') return [];
  return [...openApproval(run), ...openQuestions(run), ...openSettlings(run)];
}

function openApproval(run: Run): readonly OpenItem[] {
  const { approval, slice } = run;
  const nodes = askingNodes(run);
  if (nodes.length === 0 || approval.gate === undefined) return [];
  const { digest, rejected, deadline = '', consents, gate } = approval;
  const needed = [...rolesNeeded(nodes, gate, consents)];
  const roles = needed.includes(undefined) ? undefined : (needed as string[]);
  const whole = nodes.length === slice?.inputs.length;
  const plan = `the plan "${slice?.goal.slice(0, MAX_TEXT) ?? ''}"`;
  const what = whole ? plan : nodes.length === 1 ? `one node of ${plan}` : `${nodes.length} nodes of ${plan}`;
  const more = consents.length > APPROVERS_NAMED ? ` and ${consents.length - APPROVERS_NAMED} more` : '';
  const said = `${consents
    .slice(0, APPROVERS_NAMED)
    .map(({ by }) => by)
    .join(', ')}${more}`;
  const text = rejected
    ? `${what} was rejected and waits for an edit`
    : `approve ${what}?${said === '' ? '' : ` Approved so far by ${said}.`}`;
  const input = { digest: digest.slice(0, 8), by: WHO, ...roleToSend(roles) };
  return [
    {
      ...placed(run, nodes),
      id: 'approval',
      kind: 'approval',
      text,
      since: approval.openSince ?? '',
      deadline,
      ...(roles !== undefined && { roles }),
      send: rejected ? { name: 'decide', input: { kind: 'edit', ...input, plan: {} } } : { name: 'approve', input },
    },
  ];
}

function openQuestions(run: Run): readonly OpenItem[] {
  return [...run.questions.values()]
    .filter(({ closing }) => !closing)
    .map(({ id, node, question, since, deadline }) => {
      const { text, roles, schema, default: byDefault, suggestions } = question;
      return {
        ...placed(run, [node]),
        id,
        kind: 'question',
        text,
        since,
        deadline,
        ...(roles !== undefined && { roles }),
        ...(schema !== undefined && { schema }),
        ...(byDefault !== undefined && { default: byDefault }),
        ...(suggestions !== undefined && { suggestions }),
        send: {
          name: 'answer',
          input: { question: id, value: 'ANSWER', by: WHO, ...roleToSend(roles) },
        },
      };
    });
}

function openSettlings(run: Run): readonly OpenItem[] {
  return [...run.settling].map(([node, wait]) => {
    const uncertain = run.progress?.status[node] === 'uncertain';
    const message = run.progress?.failures.get(node)?.message.slice(0, MAX_TEXT) ?? '';
    const id = nodeId(node);
    const digest = run.approval.digest.slice(0, 8);
    const { gate } = run.approval;
    const roles = gate === undefined ? undefined : rolesFor(node, gate);
    const who = { digest, by: WHO, ...roleToSend(roles) };
    const act = uncertain
      ? { action: 'resolve', node: id, outcome: 'OUTCOME', ...who }
      : { action: 'retry-node', node: id, ...who };
    return {
      ...placed(run, [node]),
      ...wait,
      id,
      kind: uncertain ? 'uncertain' : 'failed',
      ...(roles !== undefined && { roles }),
      text: uncertain
        ? `did ${id} (${run.slice?.summaries[node] ?? ''}) happen? ${message}`
        : `${id} (${run.slice?.summaries[node] ?? ''}) failed: ${message}; retry, skip or resolve it`,
      send: { name: 'control', input: act },
    };
  });
}

/** Of several roles a person has to name their own. */
function roleToSend(roles: readonly string[] | undefined): { readonly role?: string } {
  if (roles === undefined) return {};
  const [first = '', ...others] = roles;
  return { role: others.length === 0 ? first : `YOUR ROLE: ${roles.slice(0, ROLES_NAMED).join(' or ')}` };
}

function placed(run: Run, nodes: readonly number[]) {
  const { digest, revision } = run.approval;
  return {
    workflowId: run.workflowId,
    digest,
    revision,
    nodes: nodes.slice(0, NODES_NAMED).map(nodeId),
    nodeCount: nodes.length,
    ...(run.project.identity && { signed: true as const }),
  };
}
