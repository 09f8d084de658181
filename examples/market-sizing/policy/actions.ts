/** The step of each decision: one capability, or the end. No other place routes. */

import type { Action, JsonValue, Step } from 'planwright';
import type { AskUser, Decision } from './decision.ts';
import { componentsOf, fieldOf, isKnown } from './fields.ts';
import { writeReport } from './report.ts';
import type { Field, State } from './state.ts';

/** Pages that one search brings. */
const HITS = 5;

/** VentureScope: finish. Only an end that is clean is `done`: nothing was aborted, and the size is known. */
export function outcomeOf(state: State): 'done' | 'aborted' {
  return state.status === 'running' && isKnown(state, state.schema.target) ? 'done' : 'aborted';
}

/** VentureScope: dispatch. */
export const ACTIONS: { readonly [Name in Decision['action']]: Action<State, Extract<Decision, { action: Name }>> } = {
  search: {
    about: 'searchText',
    dispatch: ({ query, reasoning }) => capability('searchText', { query, limit: HITS }, reasoning),
  },
  ask_user: {
    about: 'ask',
    dispatch: (decision, state) => {
      const { question, reasoning } = decision;
      return capability('ask', { question, schema: answerSchema(state, decision) }, reasoning);
    },
  },
  calculate: {
    about: 'calculate',
    dispatch: ({ calculation, reasoning }) =>
      calculation === undefined
        ? { is: 'none', problem: 'Nothing says what is to be calculated: the recipe is not complete.' }
        : capability('calculate', { ...calculation }, reasoning),
  },
  reflect: {
    about: 'reflect',
    dispatch: ({ note, reasoning }) => capability('reflect', { note }, reasoning),
  },
  finish: {
    about: 'the memo',
    ends: true,
    dispatch: ({ reasoning }, state) => {
      const outcome = outcomeOf(state);
      return { is: 'finish', answer: writeReport(state, reasoning, outcome), outcome };
    },
  },
};

function capability(name: string, given: Readonly<Record<string, JsonValue>>, objective: string): Step {
  return { is: 'capability', name, arguments: given, objective };
}

/** The schema of an answer: the value that is asked for, or an object that fills several components of the same field; `null` for "I do not know". */
export function answerSchema(state: State, { field, component, suggestedAnswers }: AskUser): JsonValue {
  const one = schemaOf(fieldOf(state, component ?? field), suggestedAnswers);
  const names = component === undefined ? [] : componentsOf(state, field);
  const several = Object.fromEntries(names.map((name) => [name, schemaOf(fieldOf(state, name))]));
  const object = { type: 'object', properties: several, additionalProperties: false, minProperties: 1 };
  return { anyOf: [one, ...(names.length > 1 ? [object] : []), { type: 'null' }] };
}

function schemaOf(field: Field | undefined, suggestions: readonly string[] = []): JsonValue {
  const { kind, least, most, pattern, title = '' } = field ?? {};
  const examples = suggestions.length === 0 ? {} : { examples: [...suggestions] };
  if (kind !== 'number') {
    return {
      type: 'string',
      title,
      minLength: 1,
      ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }),
      ...examples,
    };
  }
  return {
    type: 'number',
    title,
    ...(least !== undefined && { minimum: least }),
    ...(most !== undefined && { maximum: most }),
    ...examples,
  };
}
