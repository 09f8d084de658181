/** Names of capabilities with a namespace from the model's training. */

import type { PlanIssue } from '../../plan/index.ts';
import { quote } from '../../plan/text/index.ts';

const MAX_NAME = 300;

/** The longest known name at the end of a dotted name; else the name unchanged. */
export function withoutNamespace(name: string, isKnown: (name: string) => boolean): string {
  const parts = name.slice(0, MAX_NAME).split('.');
  return parts.map((_, at) => parts.slice(at).join('.')).find(isKnown) ?? name;
}

/** Renames the capabilities of a model's plan to known names; each change is a warning. */
export function withKnownNames<Plan>(plan: Plan, capabilities: readonly { readonly name: string }[]) {
  const known = new Set(capabilities.map(({ name }) => name));
  const changed: PlanIssue[] = [];
  const written = JSON.stringify(plan, (key, value: unknown) => {
    const name =
      key === 'capability' && typeof value === 'string' ? withoutNamespace(value, (one) => known.has(one)) : value;
    const message = `There is no capability ${quote(String(value))}; it is read as ${quote(String(name))}.`;
    if (name !== value) changed.push({ code: 'repaired-syntax', severity: 'warning', path: '$', message });
    return name;
  });
  return { plan: JSON.parse(written) as Plan, changed };
}
