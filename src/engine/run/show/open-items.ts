/**
 * The open items of a run: each thing that waits for a person, with the exact message that answers it. Made as far as
 * it is looked at.
 */

import { nodeId, type OpenItem, type PageRequest } from '../../../wire/contract/index.ts';
import { cutCharacters, oneLine, visible } from '../../../language/text/index.ts';
import { rolesFor, rolesNeeded } from '../approval/index.ts';
import type { AskedQuestion, Wait } from '../dialogue.ts';
import { repetitionIn } from '../begun-effects.ts';
import { warningsOf, type Execution } from '../execution.ts';
import { askedAbout } from '../talk/index.ts';
import { askingNodes, isAsking, type Run } from '../run.ts';
import { asksOf } from './run-outline.ts';

const NODES_NAMED = 20;
/** A question is at most 8 kB; the answer to a query is at most 2 MiB. */
const ITEMS_PER_PAGE = 100;
/** The server takes at most 2 kB in a search attribute; a run that sends more can do nothing else any more. */
const ROLES_BYTES = 1900;
const MAX_TEXT = 500;
const APPROVERS_NAMED = 8;
const ROLES_NAMED = 8;
const WHO = 'YOUR NAME';

/** One thing that is waited for, before it is put into words. */
export type Opening =
  | { readonly kind: 'approval' }
  | { readonly kind: 'question'; readonly asked: AskedQuestion }
  | { readonly kind: 'settling'; readonly node: number; readonly wait: Wait }
  | { readonly kind: 'fault'; readonly wait: Wait };

/** A page of what is open, the approval first, then as it came. `after` is the id of the last item that is known. */
export function questionsOf(run: Run, page: PageRequest = {}): readonly OpenItem[] {
  const limit = limitOf(page);
  const { after } = page;
  const isKnown = typeof after === 'string' && some(run, (opening) => idOf(opening) === after);
  const items: OpenItem[] = [];
  let isAfter = !isKnown;
  for (const opening of openings(run)) {
    if (items.length === limit) break;
    if (isAfter) items.push(itemOf(run, opening));
    else isAfter = idOf(opening) === after;
  }
  return items;
}

/** How many items a page has at most. */
export function limitOf({ limit }: PageRequest): number {
  return Number.isInteger(limit) ? Math.min(Math.max(limit as number, 1), ITEMS_PER_PAGE) : ITEMS_PER_PAGE;
}

/** The first so many things that are open. */
export function firstOpen(run: Run, most: number): readonly OpenItem[] {
  return questionsOf(run, { limit: most });
}

/** How many things wait for a person. */
export function countOpen(run: Run): number {
  let count = 0;
  for (const _ of openings(run)) count += 1;
  return count;
}

/** The roles that the run waits for; `anyone` where no role is asked for, and for those that are too many to name. */
export function rolesWaitedFor(run: Run): readonly string[] {
  const named = new Set<string>();
  for (const opening of openings(run)) for (const role of rolesOf(run, opening) ?? ['anyone']) named.add(role);
  const fitting: string[] = [];
  let size = 0;
  for (const role of [...named].toSorted()) {
    // A character takes up to 3 bytes of UTF-8.
    size += 3 * (JSON.stringify(role).length + 1);
    if (size > ROLES_BYTES) return [...new Set([...fitting, 'anyone'])].toSorted();
    fitting.push(role);
  }
  return fitting;
}

export function* openings(run: Run): Generator<Opening> {
  const { dialogue, execution } = run;
  const { phase } = dialogue.approval;
  if (phase === 'closed') return;
  if (isAsking(run)) yield { kind: 'approval' };
  for (const asked of dialogue.questions.values()) if (!asked.closing) yield { kind: 'question', asked };
  for (const [node, wait] of execution?.settling ?? []) yield { kind: 'settling', node, wait };
  const { since = '', deadline } = dialogue.fault ?? {};
  if (deadline !== undefined) yield { kind: 'fault', wait: { since, deadline } };
}

function some(run: Run, fits: (opening: Opening) => boolean): boolean {
  for (const opening of openings(run)) if (fits(opening)) return true;
  return false;
}

function idOf(opening: Opening): string {
  switch (opening.kind) {
    case 'approval':
      return 'approval';
    case 'question':
      return opening.asked.id;
    case 'settling':
      return nodeId(opening.node);
    case 'fault':
      return 'fault';
  }
}

/** The roles that it waits for; undefined stands for anybody. */
export function rolesOf(run: Run, opening: Opening): readonly string[] | undefined {
  const { gate, consents } = run.dialogue.approval;
  switch (opening.kind) {
    case 'question':
      return opening.asked.question.roles;
    case 'settling':
      return gate === undefined ? undefined : rolesFor(opening.node, gate);
    case 'fault':
      return undefined;
    case 'approval': {
      const needed = gate === undefined ? [undefined] : [...rolesNeeded(askingNodes(run), gate, consents)];
      // A rejected plan waits for an edit, which anybody may make, also where nobody's approval is missing.
      return needed.length === 0 || needed.includes(undefined) ? undefined : (needed as string[]);
    }
  }
}

function itemOf(run: Run, opening: Opening): OpenItem {
  switch (opening.kind) {
    case 'approval':
      return approvalItem(run, rolesOf(run, opening));
    case 'question':
      return questionItem(run, opening.asked);
    case 'settling':
      return settlingItem(run, opening.node, opening.wait, rolesOf(run, opening));
    case 'fault':
      return faultItem(run, opening.wait);
  }
}

function approvalItem(run: Run, roles: readonly string[] | undefined): OpenItem {
  const { dialogue, execution } = run;
  const nodes = askingNodes(run);
  const { rejected, openSince = '', deadline = '', consents } = dialogue.approval;
  const kind = dialogue.isFallback ? 'the fallback plan (no model has made a valid one)' : 'the plan';
  const whole = `${kind} "${cutCharacters(oneLine(execution?.slice.goal ?? ''), MAX_TEXT)}"`;
  const { step } = dialogue.loop ?? {};
  // In a loop the goal says the same of every step.
  const plan =
    step === undefined ? whole : `step ${step.round} "${cutCharacters(oneLine(step.summary), MAX_TEXT)}" of ${whole}`;
  const isWhole = nodes.length === execution?.slice.inputs.length;
  const what = isWhole ? plan : nodes.length === 1 ? `one node of ${plan}` : `${nodes.length} nodes of ${plan}`;
  const more = consents.length > APPROVERS_NAMED ? ` and ${consents.length - APPROVERS_NAMED} more` : '';
  const names = consents.slice(0, APPROVERS_NAMED).map(({ by }) => oneLine(by));
  const said = names.length === 0 ? '' : ` Approved so far by ${names.join(', ')}${more}.`;
  const input = { digest: digestToSend(run), by: WHO, ...roleToSend(roles) };
  const known =
    execution === undefined ? [] : [repetitionIn(run, nodes) ?? [], warningsOf(execution.slice, nodes)].flat();
  const warning = rejected || known.length === 0 ? undefined : known.join('\n');
  const first = warning === undefined ? '' : `${warning}\n`;
  return {
    ...placed(run, nodes),
    id: 'approval',
    kind: 'approval',
    text: rejected ? `${what} was rejected and waits for an edit` : `${first}approve ${what}?${someNeed(run)}${said}`,
    ...(warning !== undefined && { warning }),
    ...(execution !== undefined && !rejected && { asks: asksOf(execution, nodes) }),
    since: openSince,
    deadline,
    ...(roles !== undefined && { roles }),
    send: rejected ? { name: 'decide', input: { kind: 'edit', ...input, plan: {} } } : { name: 'approve', input },
  };
}

/** A sentence for a plan of which anybody may approve a part, and only some people the rest. */
function someNeed(run: Run): string {
  const { gate, consents } = run.dialogue.approval;
  const needed = gate === undefined ? [] : [...rolesNeeded(askingNodes(run), gate, consents)];
  const roles = needed.filter((role) => role !== undefined).slice(0, ROLES_NAMED);
  return roles.length === 0 || !needed.includes(undefined) ? '' : ` Some of it needs the role ${roles.join(' or ')}.`;
}

function questionItem(run: Run, asked: AskedQuestion): OpenItem {
  const { id, node, question, since, deadline } = asked;
  const { text, roles, schema, default: byDefault, suggestions } = question;
  const about = node < 0 ? { ...placed(run, []), digest: askedAbout(run.dialogue, asked) } : placed(run, [node]);
  return {
    ...about,
    id,
    kind: 'question',
    text: visible(text, { lines: true }),
    since,
    deadline,
    ...(roles !== undefined && { roles }),
    ...(schema !== undefined && { schema }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(suggestions !== undefined && { suggestions }),
    send: { name: 'answer', input: { question: id, value: 'ANSWER', by: WHO, ...roleToSend(roles) } },
  };
}

function settlingItem(run: Run, node: number, wait: Wait, roles: readonly string[] | undefined): OpenItem {
  const { slice, progress } = run.execution as Execution;
  const isUncertain = progress.status[node] === 'uncertain';
  const message = cutCharacters(progress.failures.get(node)?.message ?? '', MAX_TEXT);
  const id = nodeId(node);
  const who = { digest: digestToSend(run), by: WHO, ...roleToSend(roles) };
  const title = `${id} (${slice.summaries[node] ?? ''})`;
  return {
    ...placed(run, [node]),
    ...wait,
    id,
    kind: isUncertain ? 'uncertain' : 'failed',
    ...(roles !== undefined && { roles }),
    text: isUncertain ? `did ${title} happen? ${message}` : `${title} failed: ${message}; retry, skip or resolve it`,
    send: {
      name: 'control',
      input: isUncertain
        ? { action: 'resolve', node: id, outcome: 'OUTCOME', ...who }
        : { action: 'retry-node', node: id, ...who },
    },
  };
}

/** Without a plan only a message that stops the run is heard. */
function faultItem(run: Run, wait: Wait): OpenItem {
  const { dialogue, execution } = run;
  const canResume = execution !== undefined;
  const ways = `${canResume ? 'resume tries it at once and waits on, ' : ''}kill stops the run`;
  return {
    ...placed(run, []),
    ...wait,
    id: 'fault',
    kind: 'fault',
    text: `the run waits for ${dialogue.fault?.reason ?? ''}; it is tried again every 5 minutes, ${ways}`,
    send: {
      name: 'control',
      input: canResume ? { action: 'resume', by: WHO } : { action: 'kill', by: WHO, comment: 'WHY' },
    },
  };
}

/** People compare eight digits by eye. A signature covers all of them, so signed messages carry the whole digest. */
function digestToSend({ dialogue: { approval, project } }: Run): string {
  return project.keys === undefined ? approval.digest.slice(0, 8) : approval.digest;
}

/** A person with several roles to choose from has to name their own. */
function roleToSend(roles: readonly string[] | undefined): { readonly role?: string } {
  if (roles === undefined) return {};
  const [first = '', ...others] = roles;
  return { role: others.length === 0 ? first : `YOUR ROLE: ${roles.slice(0, ROLES_NAMED).join(' or ')}` };
}

function placed(run: Run, nodes: readonly number[]) {
  const { digest, revision } = run.dialogue.approval;
  return {
    workflowId: run.workflowId,
    digest,
    revision,
    nodes: nodes.slice(0, NODES_NAMED).map(nodeId),
    nodeCount: nodes.length,
    ...(run.dialogue.project.keys !== undefined && { signed: true as const }),
  };
}
