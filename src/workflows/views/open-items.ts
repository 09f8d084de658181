import {
  given,
  REPLANNED_SINCE,
  type ControlAction,
  type OpenItem,
  type PageRequest,
  missingApprovalText,
  nodeId,
  type MissingApproval,
} from '../../protocol/index.ts';
import { clockText, cutCharacters, quoteForShell, visible, oneLine } from '../../plan/text/index.ts';
import type { Run } from '../run/in-memory.ts';
import { questionDigest } from '../run/talk/questions.ts';
import { reasonFor } from '../run/spending/spend.ts';
import { awaitedBy, canFallBack } from '../run/backoff.ts';
import { openings, type Opening, rolesOf } from './openings.ts';
import { boundsLine, effectsOf, asksOf } from './run-outline.ts';
import { missingIn, rolesNeeded } from '../approval/coverage.ts';
import { repetitionIn, uncertainRepetition } from '../run/started-effects.ts';
import { askingNodes, warningsOf } from '../run/run.ts';

/** Maximum number of open items on a page. An item has about 8 kB; the answer to a query may have 2 MiB. */
const ITEMS_PER_PAGE = 100;

/** A page of open items: the approval first, then the oldest. `after` is the id of the caller's last item. */
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

export function limitOf({ limit }: PageRequest): number {
  return Number.isInteger(limit) ? Math.min(Math.max(limit as number, 1), ITEMS_PER_PAGE) : ITEMS_PER_PAGE;
}

/** The JSON that answers an item, with capitals for the parts to fill in. If the project has keys, it is a token. */
export function messageText({ send, schema, signed }: OpenItem, isSigned = signed === true): string {
  if (isSigned) return '{"token":"TOKEN"}';
  const text = JSON.stringify(send.input);
  const type = schema?.['type'];
  const isText = type === undefined || type === 'string' || Array.isArray(type);
  return send.name !== 'answer' || isText ? text : text.replace('"value":"ANSWER"', '"value":ANSWER');
}

export function firstOpen(run: Run, max: number): readonly OpenItem[] {
  const items = [...questionsOf(run, { limit: max })];
  for (const child of Object.values(run.state.children)) items.push(...(child.items ?? []));
  return items.slice(0, max);
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

function questionItem(run: Run, opening: Extract<Opening, { kind: 'question' }>): OpenItem {
  const { id, question } = opening;
  const { text, roles, schema, default: byDefault, suggestions } = question.question;
  return {
    ...open(run, opening, question.node < 0 ? [] : [question.node]),
    digest: questionDigest(run.state, question),
    kind: 'question',
    text: visible(text, { lines: true }),
    ...given({ schema, default: byDefault, suggestions }),
    send: { name: 'answer', input: { question: id, value: 'ANSWER', by: WHO, ...roleToSend(roles) } },
  };
}

function settlingItem(run: Run, opening: Extract<Opening, { kind: 'settling' }>): OpenItem {
  const { of, node, name, revision } = opening;
  const { planShape, progress } = of;
  const { digest } = planShape;
  const isUncertain = progress.status[node] === 'uncertain';
  const message = oneLine(cutCharacters(progress.failures[node]?.message ?? '', MAX_TEXT));
  const facts = { ...open(run, opening, [node]), digest, revision, nodes: [name] };
  const who = { digest: digestToSend(run, digest), by: WHO, ...roleToSend(facts.roles) };
  const isRemoved = of !== run.execution;
  const title = `${name}${isRemoved ? ` of revision ${revision}` : ''} (${planShape.summaries[node] ?? ''})`;
  const more = isRemoved ? ' The open plan does not have it; the run waits until somebody has said so.' : '';
  const { effects = [], ...left } = effectsOf({ ...run, execution: of }, [node], new Map());
  const began = of.scheduledAt[node];
  const when = began === undefined ? '' : ` It was begun at ${clockText(new Date(began).toISOString())}:`;
  return {
    ...facts,
    ...(isUncertain && { ...left, effects: effects.map((one) => ({ ...one, node: name })) }),
    kind: isUncertain ? 'uncertain' : 'failed',
    text: isUncertain
      ? `did ${title} happen?${when} ${message}${more}`
      : `${title} failed: ${message}; retry, skip or resolve it`,
    send: {
      name: 'control',
      input: isUncertain
        ? { action: 'resolve', node: name, outcome: 'OUTCOME', ...who }
        : { action: 'retry-node', node: name, ...who },
    },
  };
}

/** The open item of a run with a fault. If the run has no plan, only a message that stops the run has an effect. */
function faultItem(run: Run, opening: Opening): OpenItem {
  const { state, execution } = run;
  const { backoff, planning } = state;
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

function budgetItem(run: Run, opening: Opening): OpenItem {
  const { planning } = run.state;
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

type Ways = Partial<Record<ControlAction, string>>;

const waysIn = (ways: Ways) => Object.keys(ways) as ControlAction[];

function waysText(ways: Ways): string {
  return Object.entries(ways)
    .map(([action, does]) => `${action} ${does}`)
    .join(', ');
}

/** Maximum number of nodes that an open item names. `nodeCount` counts all. */
const NODES_NAMED = 20;

/** Maximum length of a goal or a failure in an open item, in characters. */
export const MAX_TEXT = 500;

const APPROVERS_NAMED = 8;

/** Maximum number of roles and people that a text names. `roles` has all roles. */
const NAMED = 8;

export const WHO = 'YOUR NAME';
const WHY = 'HOW YOU KNOW THAT IT DID NOT HAPPEN';

export function open(run: Run, opening: Opening, nodes: readonly number[]) {
  const { id, since, deadline } = opening;
  const { digest, revision } = run.state.approval;
  const roles = rolesOf(run, opening);
  return {
    workflowId: run.workflowId,
    digest,
    revision,
    nodes: nodes.slice(0, NODES_NAMED).map(nodeId),
    nodeCount: nodes.length,
    ...(run.state.project.keys !== undefined && { signed: true as const }),
    id,
    since,
    deadline,
    ...(roles !== undefined && { roles }),
  };
}

export function approvalItem(run: Run, opening: Opening): OpenItem {
  const { state, execution } = run;
  const nodes = askingNodes(run);
  const { rejected, consents, ungranted = [] } = state.approval;
  const grants = ungranted.length === 0 ? '' : ` No grant covers it: ${cutCharacters(ungranted.join('; '), MAX_TEXT)}.`;
  const kind = state.made === 'fallback' ? 'the fallback plan (no model has made a valid one)' : 'the plan';
  const whole = `${kind} "${cutCharacters(oneLine(execution?.planShape.goal ?? ''), MAX_TEXT)}"`;
  const { step } = state.loop ?? {};
  // In a loop all steps have the same goal, so the text also names the step.
  const plan =
    step === undefined ? whole : `step ${step.round} "${cutCharacters(oneLine(step.summary), MAX_TEXT)}" of ${whole}`;
  const isWhole = nodes.length === execution?.planShape.inputs.length;
  const what = isWhole ? plan : nodes.length === 1 ? `one node of ${plan}` : `${nodes.length} nodes of ${plan}`;
  const more = consents.length > APPROVERS_NAMED ? ` and ${consents.length - APPROVERS_NAMED} more` : '';
  const names = consents.slice(0, APPROVERS_NAMED).map(({ by }) => oneLine(by));
  const approvedSoFar = names.length === 0 ? '' : ` Approved so far by ${names.join(', ')}${more}.`;
  const { revision, why = '' } = state.replans ?? {};
  const replanText =
    revision === state.approval.revision ? `${REPLANNED_SINCE}${oneLine(cutCharacters(why, MAX_TEXT))}.` : '';
  const facts = open(run, opening, nodes);
  const warnings =
    execution === undefined ? [] : [repetitionIn(run, nodes) ?? [], warningsOf(execution.planShape, nodes)].flat();
  const warning = rejected || warnings.length === 0 ? undefined : warnings.join('\n');
  const first = warning === undefined ? '' : `${warning}\n`;
  const effects = execution === undefined || rejected ? {} : effectsOf(run, nodes);
  const missing = rejected ? [] : missingOf(run, nodes);
  // If one part of the plan needs a role, the message names that role even if anybody may approve the rest.
  const roles = facts.roles ?? [...new Set(missing.flatMap((one) => one.roles ?? []))];
  const role = roleToSend(roles, facts.roles === undefined);
  const digest = effects.leftOut === undefined ? digestToSend(run) : 'DIGEST';
  const reason = rejected ? undefined : uncertainRepetition(run, nodes);
  const { shown, namesShown } = state.approval;
  const isNamed = shown !== undefined && (namesShown === true || facts.signed === true);
  const input = {
    digest,
    ...(isNamed && { shown: digestToSend(run, shown) }),
    by: WHO,
    ...role,
    ...(reason !== undefined && { comment: WHY }),
  };
  return {
    ...facts,
    kind: 'approval',
    text: rejected
      ? `${what} was rejected and ${state.loop === undefined ? 'waits for an edit' : 'the next step is decided'}`
      : `${first}approve ${what}?${replanText}${whatItTakes(run, missing)}${approvedSoFar}${grants}`,
    ...(warning !== undefined && { warning }),
    ...(execution !== undefined &&
      !rejected && {
        versions: execution.planShape.revisionRef,
        ...given({ shown }),
        asks: asksOf(execution, nodes),
        ...given({ bounds: boundsLine(run) }),
      }),
    ...effects,
    ...(execution?.planShape.context !== undefined &&
      !rejected && { context: contextOf(run, execution.planShape.context) }),
    ...(missing.length > 0 && { missing }),
    ...(names.length > 0 && { approvedBy: names }),
    send: rejected ? { name: 'decide', input: { kind: 'edit', ...input, plan: {} } } : { name: 'approve', input },
  };
}

/** The lines of external context. If a line is cut, the last line names the command that shows the value. */
function contextOf({ workflowId }: Run, lines: readonly string[]): readonly string[] {
  const isCut = lines.some((line) => line.includes('…'));
  return isCut
    ? [...lines, `a whole value: planwright result ${visible(quoteForShell(workflowId))} --context NAME`]
    : lines;
}

/** Maximum number of kinds of missing approvals that one item lists. */
const MAX_KINDS = 5;

export function missingOf({ state }: Run, nodes: readonly number[]): readonly MissingApproval[] {
  const { approval, project } = state;
  const short = (names: readonly string[] | undefined) => names?.slice(0, NAMED);
  return missingIn(approval, nodes, project.keys)
    .slice(0, MAX_KINDS)
    .map(({ roles, mayDecide, authors, ...one }) => ({
      ...one,
      ...given({ roles: short(roles), mayDecide: short(mayDecide), authors: short(authors) }),
    }));
}

function whatItTakes(run: Run, missing: readonly MissingApproval[]): string {
  if (missing.some(({ of, person, notStarter }) => of > 1 || person === true || notStarter === true))
    return ` It takes ${cutCharacters(missing.map(missingApprovalText).join('; '), MAX_TEXT)}.`;
  const { subject, consents } = run.state.approval;
  const needed = subject === undefined ? [] : [...rolesNeeded(askingNodes(run), subject, consents)];
  const roles = needed.filter((role) => role !== undefined).slice(0, NAMED);
  return roles.length === 0 || !needed.includes(undefined) ? '' : ` Some of it needs the role ${roles.join(' or ')}.`;
}

/** People compare eight digits by eye. The signature covers the digest, so a signed message has all digits. */
export function digestToSend({ state: { approval, project } }: Run, digest = approval.digest): string {
  return project.keys === undefined ? digest.slice(0, 8) : digest;
}

/** The role to put in a message. If a person may choose between roles, the person must name one. */
export function roleToSend(roles: readonly string[] = [], isOptional = false): { readonly role?: string } {
  const [first, ...others] = roles;
  if (first === undefined) return {};
  const isOnly = others.length === 0 && !isOptional;
  return { role: isOnly ? first : `YOUR ROLE: ${roles.slice(0, NAMED).join(' or ')}` };
}
