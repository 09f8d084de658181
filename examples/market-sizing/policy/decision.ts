/** The decisions of a round, and how decisions about a field are put into words. */

import { CURRENCY, fieldOf, REGION } from './fields.ts';
import type { State } from './state.ts';

export interface Search {
  readonly action: 'search';
  readonly field: string;
  readonly component?: string;
  readonly query: string;
  readonly reasoning: string;
}

export interface AskUser {
  readonly action: 'ask_user';
  readonly field: string;
  readonly component?: string;
  readonly question: string;
  readonly reasoning: string;
  readonly suggestedAnswers: readonly string[];
}

export interface Calculate {
  readonly action: 'calculate';
  /** Filled in by the recipe; a model only says that it is time. */
  readonly calculation?: Calculation;
  readonly reasoning: string;
}

export interface Calculation {
  readonly expression: string;
  /** Decimal numbers as text. */
  readonly variables: Readonly<Record<string, string>>;
  readonly unit?: string;
}

export interface Reflect {
  readonly action: 'reflect';
  readonly note: string;
  /** The field whose open task it settles. */
  readonly field?: string;
  /** The page for that field that counts from here on, by its id. */
  readonly evidence?: string;
  readonly reasoning: string;
}

export interface Finish {
  readonly action: 'finish';
  readonly reasoning: string;
}

export type Decision = Search | AskUser | Calculate | Reflect | Finish;

/** The field whose attempt it is: the component where one is named. */
export function subjectOf({ field, component }: Search | AskUser): string {
  return component ?? field;
}

const CORE_QUESTIONS: Readonly<Record<string, string>> = {
  [REGION]: 'Which region is the market in?',
  [CURRENCY]: 'In which currency should the size be told? Three letters, such as EUR.',
};

export function askAbout(state: State, name: string, reasoning: string, question?: string): AskUser {
  const { title = name, unit, suggestions = [], question: own } = fieldOf(state, name) ?? {};
  const made = `What is this: ${title}${unit === undefined ? '' : `, in ${unit}`}?`;
  return {
    action: 'ask_user',
    ...addressOf(state, name),
    question: question ?? own ?? CORE_QUESTIONS[name] ?? made,
    reasoning,
    suggestedAnswers: suggestions,
  };
}

export function searchFor(state: State, name: string, reasoning: string, query?: string): Search {
  const { title = name, queries = [] } = fieldOf(state, name) ?? {};
  return { action: 'search', ...addressOf(state, name), query: query ?? queries[0] ?? title, reasoning };
}

export function reflectOn(note: string, reasoning = note): Reflect {
  return { action: 'reflect', note, reasoning };
}

export function finishFor(reasoning: string): Finish {
  return { action: 'finish', reasoning };
}

/** A component is addressed by the field that it is a part of. */
export function addressOf(state: State, name: string): Pick<Search, 'field' | 'component'> {
  const parent = fieldOf(state, name)?.partOf;
  return parent === undefined ? { field: name } : { field: parent, component: name };
}
