/** `planwright` without a command: what waits for a person, else what to type next. */

import type { Inbox } from '../client/index.ts';
import { findConfig } from '../config/index.ts';
import type { Output } from './terminal/index.ts';
import { asTyped } from './typed-command.ts';
import { openPlans, perform } from '../operations/index.ts';
import { table } from '../plan/lines/index.ts';
import { inboxText } from './view/index.ts';

export interface Here {
  readonly hasConfig: boolean;
  readonly inbox?: Inbox | undefined;
}

const SHOWN = 10;

export async function home(output: Output): Promise<void> {
  const here = { hasConfig: findConfig(process.cwd()) !== undefined, inbox: await inboxHere() };
  output.print(here, () => homeText(here, output.columns));
}

/** The inbox; undefined if no server answers. Commands that need the server say why it does not. */
async function inboxHere(): Promise<Inbox | undefined> {
  const plans = openPlans({ readsConfig: false, typed: asTyped });
  try {
    return await perform('inbox', plans, { limit: SHOWN }).catch(() => undefined);
  } finally {
    await plans.close();
  }
}

export function homeText({ hasConfig, inbox }: Here, columns: number): string {
  if (inbox !== undefined && inbox.items.length > 0)
    return `${inboxText(inbox, columns, '')}\n\nAll commands: ${asTyped('--help')}`;
  const waits = inbox === undefined ? 'No Temporal server answers here.' : 'Nothing waits for a person.';
  const next = hasConfig ? WITH_CONFIG : WITHOUT_CONFIG;
  const lines = table(
    next.map(([command, does]) => [asTyped(command), does]),
    { indent: '  ' },
  );
  return [waits, 'Next:', lines, '', `All commands: ${asTyped('--help')}`].join('\n');
}

type Step = readonly [command: string, does: string];

const WITH_CONFIG: readonly Step[] = [
  ['capabilities', 'what the tasks of this project can do'],
  ['run plan.yaml --dev', 'a server, a worker, one plan, its result'],
  ['list', 'the runs that there are'],
];

const WITHOUT_CONFIG: readonly Step[] = [
  ['demo', 'a plan, approved, killed, and finished'],
  ['init', 'a project here, with a plan and a test'],
  ['run plan.yaml --dev', 'a plan over files of records'],
];
