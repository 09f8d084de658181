import { cutCharacters } from '../plan/text/index.ts';
import { groupsBy } from '../plan/index.ts';

/** A capability of the project that planners do not see, with the reason. */
export interface Withheld {
  readonly name: string;
  readonly why: string;
}

export interface Offered {
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  readonly withheld: readonly Withheld[];
}

interface Named {
  readonly name: string;
}

const NOT_SELECTED = 'the task was said not to need it';
const MAX_LINE = 300;

export function offeredFor(
  planner: {
    readonly capabilities: readonly Named[];
    readonly agents: readonly Named[];
    readonly withheld?: Offered['withheld'];
  },
  { selected }: { readonly selected: readonly string[] },
): Offered {
  const names = planner.capabilities.map(({ name }) => name);
  const left = names.filter((name) => !selected.includes(name));
  return {
    capabilities: names.filter((name) => selected.includes(name)),
    agents: planner.agents.map(({ name }) => name),
    withheld: [...(planner.withheld ?? []), ...left.map((name) => ({ name, why: NOT_SELECTED }))],
  };
}

/** Lines with all offered capabilities, and with each reason why others are missing, at most 300 characters each. */
export function offeredLines({ capabilities, agents, withheld }: Offered): readonly string[] {
  const offered = [...capabilities, ...agents.map((name) => `agent ${name}`)].join(', ') || 'nothing';
  const byReason = groupsBy(withheld, ({ why }) => why);
  const lines = [...byReason].map(
    ([why, all]) => `Not offered, since ${why}: ${all.map(({ name }) => name).join(', ')}.`,
  );
  return [`Offered: ${offered}.`, ...lines].map((line) => cutCharacters(line, MAX_LINE));
}
