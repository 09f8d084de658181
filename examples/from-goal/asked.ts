/** The request to a model, as far as a person who watches wants to know, and a double has to. */

import type { ModelRequest } from 'planwright';

export interface Asked {
  /** The agent, else `planner`; of an answer to a person `respond`. */
  readonly by: string;
  /** The form of the reply: `task`, `selection`, `plan`; `step` where tools are offered, `answer` where it is plain text. */
  readonly wants: string;
  readonly goal: string;
  /** The part of the goal that an agent has. */
  readonly task: string;
  /** Counts from 1: replies of this conversation that are in the request, and this one. */
  readonly turn: number;
  /** The last message. */
  readonly last: string;
}

/** @example askedIn({ messages: [{ role: 'user', content: 'Say yes.' }] }).wants; // 'answer' */
export function askedIn({ messages, format, tools }: ModelRequest): Asked {
  const [system = '', first = ''] = messages.map(({ content }) => content);
  const wants = format?.name ?? (tools === undefined ? 'answer' : 'step');
  const agent = /^# You are (.+)$/m.exec(system)?.[1];
  return {
    by: agent ?? (wants === 'answer' ? 'respond' : 'planner'),
    wants,
    goal: dataIn(first, 'the goal') || (/^Goal of the plan: (.+)$/m.exec(first)?.[1] ?? ''),
    task: dataIn(first, 'the task'),
    turn: messages.filter(({ role }) => role === 'assistant').length + 1,
    last: messages.at(-1)?.content ?? '',
  };
}

/** The compiler's issues that the last message tells, a line each; empty where it tells none. */
export function issuesTold({ wants, last }: Pick<Asked, 'wants' | 'last'>): readonly string[] {
  if (wants !== 'plan' || !last.startsWith('That is no valid plan')) return [];
  return dataIn(last, 'what is wrong with the reply')
    .split('\n')
    .map((line) => line.replace(/^- /, ''));
}

/** The text between the marks of this source. */
function dataIn(message: string, source: string): string {
  const [, mark = '', text = ''] =
    new RegExp(`<data-([0-9a-f]+) source="${source}[^"]*">\\n([^]*?)\\n</data-\\1>`).exec(message) ?? [];
  return mark === '' ? '' : text;
}
