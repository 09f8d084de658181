/** The approval item that people see, and the members that all items have. */

import { given, missingWords, nodeId, type MissingApproval, type OpenItem } from '../../protocol/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import { missingIn, rolesNeeded } from '../approval/coverage.ts';
import { repetitionIn, uncertainRepetition } from '../run/begun-effects.ts';
import { askingNodes } from '../run/run.ts';
import { warningsOf } from '../run/warnings.ts';
import type { Run } from '../run/in-memory.ts';
import { rolesOf, type Opening } from './openings.ts';
import { asksOf, effectsOf } from './run-outline.ts';

/** `nodeCount` counts all. */
const NODES_NAMED = 20;

/** Characters of a goal or a failure in an open item. */
export const MAX_TEXT = 500;

const APPROVERS_NAMED = 8;

/** `roles` has all. */
const NAMED = 8;

export const WHO = 'YOUR NAME';
const WHY = 'HOW YOU KNOW THAT IT DID NOT HAPPEN';

/** The facts of an item of any kind. */
export function open(run: Run, opening: Opening, nodes: readonly number[]) {
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

export function approvalItem(run: Run, opening: Opening): OpenItem {
  const { dialogue, execution } = run;
  const nodes = askingNodes(run);
  const { rejected, consents } = dialogue.approval;
  const kind = dialogue.made === 'fallback' ? 'the fallback plan (no model has made a valid one)' : 'the plan';
  const whole = `${kind} "${cutCharacters(oneLine(execution?.slice.goal ?? ''), MAX_TEXT)}"`;
  const { step } = dialogue.loop ?? {};
  // In a loop the goal is the same for every step.
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
  // Anybody may approve one part while another part needs a role: whoever has that role sends it at once.
  const roles = facts.roles ?? [...new Set(missing.flatMap((one) => one.roles ?? []))];
  const role = roleToSend(roles, facts.roles === undefined);
  const digest = effects.leftOut === undefined ? digestToSend(run) : 'DIGEST';
  const reason = rejected ? undefined : uncertainRepetition(run, nodes);
  const input = { digest, by: WHO, ...role, ...(reason !== undefined && { comment: WHY }) };
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

/** The lines of external context; a cut line names the command that shows all of it. */
function contextOf({ workflowId }: Run, lines: readonly string[]): readonly string[] {
  const isCut = lines.some((line) => line.includes('…'));
  return isCut ? [...lines, `a whole value: planwright result ${workflowId} --context NAME`] : lines;
}

/** `planwright why` shows those of a single node. */
const KINDS_TOLD = 5;

/** The approvals that these nodes need. */
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
 * A sentence if the plan needs several or certain people, or if anybody may approve one part and only some people the
 * rest.
 */
function whatItTakes(run: Run, missing: readonly MissingApproval[]): string {
  if (missing.some(({ of, person, notStarter }) => of > 1 || person === true || notStarter === true))
    return ` It takes ${cutCharacters(missing.map(missingWords).join('; '), MAX_TEXT)}.`;
  const { gate, consents } = run.dialogue.approval;
  const needed = gate === undefined ? [] : [...rolesNeeded(askingNodes(run), gate, consents)];
  const roles = needed.filter((role) => role !== undefined).slice(0, NAMED);
  return roles.length === 0 || !needed.includes(undefined) ? '' : ` Some of it needs the role ${roles.join(' or ')}.`;
}

/** People compare eight digits by eye. Signed messages contain the whole digest, since a signature covers it. */
export function digestToSend({ dialogue: { approval, project } }: Run, digest = approval.digest): string {
  return project.keys === undefined ? digest.slice(0, 8) : digest;
}

/** A person with a choice of roles has to name one. */
export function roleToSend(roles: readonly string[] = [], isOptional = false): { readonly role?: string } {
  const [first, ...others] = roles;
  if (first === undefined) return {};
  const isOnly = others.length === 0 && !isOptional;
  return { role: isOnly ? first : `YOUR ROLE: ${roles.slice(0, NAMED).join(' or ')}` };
}
