/** Names of capabilities as some models write them: with a namespace of their training before it. */

import type { PlanIssue } from '../../plan/index.ts';
import { quote } from '../../plan/text/index.ts';
import { isRecord } from '../../protocol/index.ts';

const MAX_NAME = 300;
/** Values of a plan that are no nodes, and may have any member. */
const VALUES = ['arguments', 'parameters', 'args', 'context'];

/**
 * The name, or as much behind its dots as is known; the name as it is where nothing of it is.
 * @example withoutNamespace('functions.read', (name) => name === 'read'); // 'read'
 */
export function withoutNamespace(name: string, isKnown: (name: string) => boolean): string {
  if (name.length > MAX_NAME) return name;
  for (let rest = name; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (isKnown(rest)) return rest;
    if (!rest.includes('.')) return name;
  }
}

/** The plan that a model wrote, with the capabilities of its nodes by their known names; each change is a warning. */
export function withKnownNames<Plan>(
  plan: Plan,
  names: readonly string[],
): { readonly plan: Plan; readonly changed: readonly PlanIssue[] } {
  const known = new Set(names);
  const changed: PlanIssue[] = [];
  return { plan: named(plan, '$') as Plan, changed };

  function named(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((one, at) => named(one, `${path}[${at}]`));
    if (!isRecord(value)) return value;
    const members = Object.entries(value).map(([key, member]) => {
      if (VALUES.includes(key)) return [key, member];
      if (key !== 'capability' || typeof member !== 'string') return [key, named(member, `${path}.${key}`)];
      const name = withoutNamespace(member, (one) => known.has(one));
      const message = `There is no capability ${quote(member)}; it is read as ${quote(name)}.`;
      if (name !== member)
        changed.push({ code: 'repaired-syntax', severity: 'warning', path: `${path}.capability`, message });
      return [key, name];
    });
    return Object.fromEntries(members as [string, unknown][]);
  }
}
