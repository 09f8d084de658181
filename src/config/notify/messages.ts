import { oneLine, visible } from '../../plan/text/index.ts';
import { given, REPLANNED_SINCE, type AskedEffect, type OpenItem } from '../../protocol/index.ts';
import type { Receiver } from './receivers.ts';

/** Maximum number of effects in a message. It counts the others. */
const EFFECTS_SENT = 20;

/** A message about an item: the first one, a reminder before the deadline, or an escalation to other people. */
export interface NoticeStep {
  readonly why: 'open' | 'reminder' | 'escalation';
  /** The roles that the message addresses; anybody if absent. */
  readonly to?: readonly string[] | undefined;
  readonly key: string;
}

/** A notice about a run that needs a person but has no inbox item: it failed, or no worker continues it. */
export interface RunNotice {
  readonly kind: 'run-failed' | 'no-worker';
  readonly text: string;
  readonly key: string;
}

export interface MessageSurroundings {
  /** Whether the project encrypts. Messages then contain only ids, counts and keys. */
  readonly isEncrypted: boolean;
  readonly commandOf: (item: OpenItem) => string;
  readonly runCommand: (workflowId: string) => string;
  readonly runPath: (workflowId: string) => string;
}

/** The messages about an item that are due, in order; empty if the item is for other roles than the receiver's. */
export function stepsDue(receiver: Receiver, item: OpenItem, now: number): readonly NoticeStep[] {
  const { roles, afterMs, remindMs, escalate } = receiver;
  if (roles !== undefined && item.roles !== undefined && !item.roles.some((role) => roles.includes(role))) return [];
  const [since, deadline] = [Date.parse(item.since), Date.parse(item.deadline)];
  const first = since + afterMs;
  const to = item.roles?.filter((role) => roles?.includes(role) !== false) ?? roles;
  const steps: (NoticeStep & { readonly at: number })[] = [{ why: 'open', to, key: 'open', at: first }];
  // A reminder that would come before the first message is not sent.
  if (remindMs !== undefined && deadline - remindMs > first && now < deadline)
    steps.push({ why: 'reminder', to, key: `reminder ${item.deadline}`, at: deadline - remindMs });
  for (const other of escalate)
    steps.push({ why: 'escalation', to: other.roles, key: `escalation ${other.afterMs}`, at: since + other.afterMs });
  return steps.filter(({ at }) => at <= now);
}

export function itemMessage(
  item: OpenItem,
  { why, to }: NoticeStep,
  { hasContent, page, roles: ownRoles }: Receiver,
  goal: string | undefined,
  { isEncrypted, commandOf, runPath }: MessageSurroundings,
) {
  const { id, kind, workflowId, digest, revision, roles, since, deadline, nodes, nodeCount, effectCount } = item;
  const { effects = [], context, schema, default: byDefault, suggestions } = item;
  const sent = effects.slice(0, EFFECTS_SENT).map((one) => effectSent(one, hasContent, isEncrypted));
  return {
    ...{ why, kind, workflowId, item: id },
    ...(!isEncrypted && given({ text: textOf(item, hasContent), goal, roles })),
    ...(hasContent && given({ context, schema, default: byDefault, suggestions })),
    // With encryption, only roles in the config are named, since the item's roles come from the plan.
    ...given({ to: isEncrypted && why !== 'escalation' ? ownRoles : to }),
    ...given({ effectCount: effectCount ?? (effects.length > 0 ? effects.length : undefined) }),
    ...(sent.length > 0 && { effects: sent }),
    ...{ digest, revision, nodes, nodeCount, since, deadline },
    // If the project encrypts, roles are removed from the command, since they come from the plan.
    command: commandOf(isEncrypted ? withoutRoles(item) : item),
    ...linkOf(page, runPath(workflowId)),
  };
}

export function runMessage(
  { kind, text }: RunNotice,
  workflowId: string,
  { roles, page }: Receiver,
  goal: string | undefined,
  { isEncrypted, runCommand, runPath }: MessageSurroundings,
) {
  return {
    ...{ why: 'open', kind, workflowId },
    ...(!isEncrypted && given({ text, goal })),
    ...given({ to: roles }),
    command: runCommand(workflowId),
    ...linkOf(page, runPath(workflowId)),
  };
}

/** Lists the fields, so that a field which is later added to effects is not sent. */
function effectSent(
  { node, key, effect, title, cost, resource, values, before, shows, untrusted }: AskedEffect,
  hasContent: boolean,
  bare: boolean,
) {
  return {
    ...{ node, effect, ...given({ key }) },
    ...(!bare && given({ title, cost, resource })),
    ...(hasContent && given({ values, before, shows, untrusted })),
  };
}

/**
 * The text of an item. Without `hasContent`, omits failures, faults, warnings and reasons, which may contain values.
 */
function textOf({ kind, text, warning, effects, nodes, ways = [] }: OpenItem, hasContent: boolean): string {
  if (hasContent) return visible(text, { lines: true });
  const [title = nodes.join(', ')] = effects?.map((one) => one.title) ?? [];
  if (kind === 'uncertain') return oneLine(`did ${title} happen?`);
  if (kind === 'failed') return oneLine(`${title} failed; retry, skip or resolve it`);
  if (kind === 'fault') return oneLine(`the run waits after a fault; possible: ${ways.join(', ')}`);
  const asked = warning === undefined ? text : text.slice(warning.length).trimStart();
  return visible(kind === 'approval' ? (asked.split(REPLANNED_SINCE)[0] ?? '') : asked, { lines: true });
}

function withoutRoles({ roles: _roles, ...item }: OpenItem): OpenItem {
  return item;
}

function linkOf(page: string | undefined, path: string) {
  return page === undefined ? {} : { page: `${page.replace(/\/+$/, '')}${path}` };
}
