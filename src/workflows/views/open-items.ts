/**
 * The open items of a run: each thing that waits for a person, with the exact message that answers it. Made as far as
 * it is looked at.
 */

import {
  given,
  missingWords,
  nodeId,
  type ControlAction,
  type MissingApproval,
  type OpenItem,
  type PageRequest,
} from '../../protocol/index.ts';
import { clockText, cutCharacters, oneLine, visible } from '../../plan/text/index.ts';
import { missingIn, rolesNeeded } from '../approval/coverage.ts';
import { repetitionIn } from '../run/begun-effects.ts';
import { warningsOf, askingNodes } from '../run/run.ts';
import type { Execution, Run } from '../run/in-memory.ts';
import { askedAbout } from '../run/talk/questions.ts';
import { reasonFor } from '../run/spending/end.ts';
import { awaitedBy, canFallBack } from '../run/backoff-causes.ts';
import { openings, rolesOf, type Opening } from './openings.ts';
import { asksOf, effectsOf } from './run-outline.ts';

/**
 * @bound nodes that an open item names
 * @beyond `nodeCount` counts all
 */
const NODES_NAMED = 20;
/**
 * A question is at most 8 kB; the answer to a query is at most 2 MiB.
 * @bound open items on a page
 * @beyond the id of the last one is the `after` of the next page
 */
const ITEMS_PER_PAGE = 100;
/**
 * @bound {characters} a goal or a failure in an open item
 * @beyond cut
 */
const MAX_TEXT = 500;
/**
 * @bound people named who have approved
 * @beyond counted
 */
const APPROVERS_NAMED = 8;
/**
 * @bound roles named to choose from
 * @beyond the others are in `roles`
 */
const NAMED = 8;
const WHO = 'YOUR NAME';

/** A page of what is open, the approval first, then as it came. `after` is the id of the last item that is known. */
export function questionsOf(run: Run, page: PageRequest = {}): readonly OpenItem[] {
  const limit = limitOf(page);
  const { after } = page;
  const isKnown = typeof after === 'string' && [...openings(run)].some(({ id }) => id === after);
  const items: OpenItem[] = [];
  let isAfter = !isKnown;
  for (const opening of openings(run)) {
    if (items.length === limit) break;
    if (isAfter) items.push(itemOf(run, opening));
    else isAfter = opening.id === after;
  }
  return items;
}

/** How many items a page has at most. */
export function limitOf({ limit }: PageRequest): number {
  return Number.isInteger(limit) ? Math.min(Math.max(limit as number, 1), ITEMS_PER_PAGE) : ITEMS_PER_PAGE;
}

/**
 * The JSON of the message that answers an item, with the parts that a person fills in in capitals. Of an answer that is no text the
 * quotes are left out: what takes the place of `ANSWER` is a number, a list or an object then. In a project with keys it
 * is a token.
 */
export function messageText({ send, schema, signed }: OpenItem, isSigned = signed === true): string {
  if (isSigned) return '{"token":"TOKEN"}';
  const text = JSON.stringify(send.input);
  const type = schema?.['type'];
  const isText = type === undefined || type === 'string' || Array.isArray(type);
  return send.name !== 'answer' || isText ? text : text.replace('"value":"ANSWER"', '"value":ANSWER');
}

/** The first so many things that are open: the run's own, then those that its agents have told of. */
export function firstOpen(run: Run, most: number): readonly OpenItem[] {
  const items = [...questionsOf(run, { limit: most })];
  for (const child of Object.values(run.dialogue.children)) items.push(...(child.items ?? []));
  return items.slice(0, most);
}

function itemOf(run: Run, opening: Opening): OpenItem {
  switch (opening.kind) {
    case 'approval':
      return approvalItem(run, opening);
    case 'question':
      return questionItem(run, opening);
    case 'settling':
      return settlingItem(run, opening);
    case 'fault':
      return faultItem(run, opening);
    case 'budget':
      return budgetItem(run, opening);
  }
}

/** The facts that an item of any kind has. */
function open(run: Run, opening: Opening, nodes: readonly number[]) {
  const { id, since, deadline } = opening;
  const { digest, revision } = run.dialogue.approval;
  const roles = rolesOf(run, opening);
  return {
    workflowId: run.workflowId,
    digest,
    revision,
    nodes: nodes.slice(0, NODES_NAMED).map(nodeId),
    nodeCount: nodes.length,
    ...(run.dialogue.project.keys !== undefined && { signed: true as const }),
    id,
    since,
    deadline,
    ...(roles !== undefined && { roles }),
  };
}

function approvalItem(run: Run, opening: Opening): OpenItem {
  const { dialogue, execution } = run;
  const nodes = askingNodes(run);
  const { rejected, consents } = dialogue.approval;
  const kind = dialogue.made === 'fallback' ? 'the fallback plan (no model has made a valid one)' : 'the plan';
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
  const { revision, why = '' } = dialogue.replans ?? {};
  const anew =
    revision === dialogue.approval.revision ? ` It was made anew, since ${cutCharacters(why, MAX_TEXT)}.` : '';
  const facts = open(run, opening, nodes);
  const known =
    execution === undefined ? [] : [repetitionIn(run, nodes) ?? [], warningsOf(execution.slice, nodes)].flat();
  const warning = rejected || known.length === 0 ? undefined : known.join('\n');
  const first = warning === undefined ? '' : `${warning}\n`;
  const effects = execution === undefined || rejected ? {} : effectsOf(run, nodes);
  const missing = rejected ? [] : missingOf(run, nodes);
  // Anybody may approve a part where another part needs a role: whoever has one says so at once.
  const roles = facts.roles ?? [...new Set(missing.flatMap((one) => one.roles ?? []))];
  const role = roleToSend(roles, facts.roles === undefined);
  const input = { digest: effects.leftOut === undefined ? digestToSend(run) : 'DIGEST', by: WHO, ...role };
  return {
    ...facts,
    kind: 'approval',
    text: rejected
      ? `${what} was rejected and ${dialogue.loop === undefined ? 'waits for an edit' : 'the next step is decided'}`
      : `${first}approve ${what}?${anew}${whatItTakes(run, missing)}${said}`,
    ...(warning !== undefined && { warning }),
    ...(execution !== undefined &&
      !rejected && { versions: execution.slice.revisionRef, asks: asksOf(execution, nodes) }),
    ...effects,
    ...(execution?.slice.context !== undefined && !rejected && { context: contextOf(run, execution.slice.context) }),
    ...(missing.length > 0 && { missing }),
    ...(names.length > 0 && { approvedBy: names }),
    send: rejected ? { name: 'decide', input: { kind: 'edit', ...input, plan: {} } } : { name: 'approve', input },
  };
}

/** The lines of external context; where one is cut, with the command that shows it whole. */
function contextOf({ workflowId }: Run, lines: readonly string[]): readonly string[] {
  const isCut = lines.some((line) => line.includes('…'));
  return isCut ? [...lines, `a whole value: planwright result ${workflowId} --context NAME`] : lines;
}

/**
 * @bound kinds of missing approvals that are told
 * @beyond left out; `why` tells those of one node
 */
const KINDS_TOLD = 5;

/** The approvals that these nodes wait for. */
export function missingOf({ dialogue }: Run, nodes: readonly number[]): readonly MissingApproval[] {
  const { approval, project } = dialogue;
  const short = (names: readonly string[] | undefined) => names?.slice(0, NAMED);
  return missingIn(approval, nodes, project.keys)
    .slice(0, KINDS_TOLD)
    .map(({ roles, mayDecide, authors, ...one }) => ({
      ...one,
      ...given({ roles: short(roles), mayDecide: short(mayDecide), authors: short(authors) }),
    }));
}

/**
 * A sentence where it takes more than one person, or certain people; and for a plan of which anybody may approve a part, and only some
 * people the rest.
 */
function whatItTakes(run: Run, missing: readonly MissingApproval[]): string {
  if (missing.some(({ of, person, notStarter }) => of > 1 || person === true || notStarter === true))
    return ` It takes ${cutCharacters(missing.map(missingWords).join('; '), MAX_TEXT)}.`;
  const { gate, consents } = run.dialogue.approval;
  const needed = gate === undefined ? [] : [...rolesNeeded(askingNodes(run), gate, consents)];
  const roles = needed.filter((role) => role !== undefined).slice(0, NAMED);
  return roles.length === 0 || !needed.includes(undefined) ? '' : ` Some of it needs the role ${roles.join(' or ')}.`;
}

function questionItem(run: Run, opening: Extract<Opening, { kind: 'question' }>): OpenItem {
  const { id, asked } = opening;
  const { text, roles, schema, default: byDefault, suggestions } = asked.question;
  return {
    ...open(run, opening, asked.node < 0 ? [] : [asked.node]),
    digest: askedAbout(run.dialogue, asked),
    kind: 'question',
    text: visible(text, { lines: true }),
    ...given({ schema, default: byDefault, suggestions }),
    send: { name: 'answer', input: { question: id, value: 'ANSWER', by: WHO, ...roleToSend(roles) } },
  };
}

function settlingItem(run: Run, opening: Extract<Opening, { kind: 'settling' }>): OpenItem {
  const { id, node } = opening;
  const execution = run.execution as Execution;
  const { slice, progress } = execution;
  const isUncertain = progress.status[node] === 'uncertain';
  const message = cutCharacters(progress.failures[node]?.message ?? '', MAX_TEXT);
  const facts = open(run, opening, [node]);
  const who = { digest: digestToSend(run), by: WHO, ...roleToSend(facts.roles) };
  const title = `${id} (${slice.summaries[node] ?? ''})`;
  const began = execution.scheduledAt[node];
  const when = began === undefined ? '' : ` It was begun at ${clockText(new Date(began).toISOString())}:`;
  return {
    ...facts,
    ...(isUncertain && effectsOf(run, [node])),
    kind: isUncertain ? 'uncertain' : 'failed',
    text: isUncertain
      ? `did ${title} happen?${when} ${message}`
      : `${title} failed: ${message}; retry, skip or resolve it`,
    send: {
      name: 'control',
      input: isUncertain
        ? { action: 'resolve', node: id, outcome: 'OUTCOME', ...who }
        : { action: 'retry-node', node: id, ...who },
    },
  };
}

/** Without a plan only a message that stops the run is heard. */
function faultItem(run: Run, opening: Opening): OpenItem {
  const { dialogue, execution } = run;
  const { backoff, planning } = dialogue;
  const mayFallBack = canFallBack(backoff);
  const canResume = execution !== undefined || mayFallBack;
  const again = backoff?.cause === 'worker' ? '' : 'it is tried again every 5 minutes, ';
  const ways: Ways = {
    ...(canResume && { resume: 'tries it at once and waits on' }),
    ...(mayFallBack && planning !== undefined && { fallback: 'goes on to a plan that no model has made' }),
    kill: 'stops the run',
  };
  return {
    ...open(run, opening, []),
    kind: 'fault',
    text: `the run waits for ${backoff === undefined ? '' : awaitedBy(backoff)}; ${again}${waysText(ways)}`,
    ways: waysIn(ways),
    send: {
      name: 'control',
      input: canResume ? { action: 'resume', by: WHO } : { action: 'kill', by: WHO, comment: 'WHY' },
    },
  };
}

/** The numbers, and the ways on. */
function budgetItem(run: Run, opening: Opening): OpenItem {
  const { planning } = run.dialogue;
  const fallback =
    planning?.anew === undefined
      ? 'goes on to a plan that no model has made'
      : 'makes no other plan and ends with the results that there are';
  const ways: Ways = { resume: 'gives as much again', ...(planning && { fallback }), kill: 'stops the run' };
  return {
    ...open(run, opening, []),
    kind: 'budget',
    text: `${reasonFor(run)}; ${waysText(ways)}`,
    ways: waysIn(ways),
    send: { name: 'control', input: { action: 'resume', by: WHO } },
  };
}

/** The control actions that end a wait, each with what it does. */
type Ways = Partial<Record<ControlAction, string>>;

const waysIn = (ways: Ways) => Object.keys(ways) as ControlAction[];

function waysText(ways: Ways): string {
  return Object.entries(ways)
    .map(([action, does]) => `${action} ${does}`)
    .join(', ');
}

/** People compare eight digits by eye. A signature covers all of them, so signed messages carry the whole digest. */
function digestToSend({ dialogue: { approval, project } }: Run): string {
  return project.keys === undefined ? approval.digest.slice(0, 8) : approval.digest;
}

/** A person with several roles to choose from has to name their own. */
function roleToSend(roles: readonly string[] = [], isOptional = false): { readonly role?: string } {
  const [first, ...others] = roles;
  if (first === undefined) return {};
  const isOnly = others.length === 0 && !isOptional;
  return { role: isOnly ? first : `YOUR ROLE: ${roles.slice(0, NAMED).join(' or ')}` };
}
