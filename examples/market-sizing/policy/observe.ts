/** Takes in what a step came to: figures of pages and words of a person, each checked; attempts, calculations, notes. */

import type { Happened, JsonValue, Observer } from 'planwright';
import { cut, describeValue, quote } from '../../words.ts';
import { subjectOf, type Decision } from './decision.ts';
import { asksOf, componentsOf, fieldOf, searchesOf } from './fields.ts';
import { readFigure, validValue, type Hit } from './figures.ts';
import type { Evidence, OpenTask, Source, State } from './state.ts';

type Took = Happened<Decision>;
type Seen = Observer<State, Decision>;

/** Notes that are kept, the last ones. */
const MAX_NOTES = 50;
const MAX_NOTE = 500;
/** Pieces of evidence that are kept, the last ones. */
const MAX_EVIDENCE = 200;

/** Every search and every question is an attempt, whatever came of it. */
export const tally: Seen = {
  name: 'tally',
  about: 'an attempt more for the field',
  after: ['search', 'ask_user'],
  writes: ['attempts'],
  run(state, { decision }) {
    const { attempts } = state;
    if (decision.action !== 'search' && decision.action !== 'ask_user') return {};
    const name = subjectOf(decision);
    return decision.action === 'search'
      ? { attempts: { ...attempts, searches: { ...attempts.searches, [name]: searchesOf(state, name) + 1 } } }
      : { attempts: { ...attempts, asks: { ...attempts.asks, [name]: asksOf(state, name) + 1 } } };
  },
};

/** VentureScope: observe. Hits become evidence, and the first evidence the value; another figure opens a task. */
export const observe: Seen = {
  name: 'observe',
  about: 'hits become validated evidence',
  after: ['search'],
  writes: ['schema', 'evidence', 'tasks', 'notes'],
  when: ({ results }) => hitsIn(results).length > 0,
  run(state, { decision, results }) {
    if (decision.action !== 'search') return {};
    const name = subjectOf(decision);
    const hits = hitsIn(results);
    const read = hits.flatMap((hit) => readFigure(state, name, hit) ?? []);
    const found = read.filter((one): one is Evidence => 'value' in one && !isTold(state, one));
    const whyNot = read.flatMap((one) => ('why' in one ? [one.why] : []));
    if (read.length === 0) whyNot.push(`Of ${hits.length} pages for ${quote(decision.query)} none tells ${name}.`);
    const value = fieldOf(state, name)?.value ?? found[0]?.value;
    const other = found.find((one) => one.value !== value);
    const [first] = found;
    return {
      ...(fieldOf(state, name)?.value === undefined &&
        first !== undefined && { schema: filled(state, name, first.value, first.source) }),
      ...(found.length > 0 && { evidence: [...state.evidence, ...found].slice(-MAX_EVIDENCE) }),
      ...(other !== undefined && {
        tasks: withTask(state, name, `${value} is taken, and ${other.source.id} says ${other.value}`),
      }),
      ...(whyNot.length > 0 && { notes: noted(state, whyNot) }),
    };
  },
};

/** VentureScope: observe_user. An answer that is an object fills what it names; each value is checked before it is merged. */
export const observeUser: Seen = {
  name: 'observe_user',
  about: 'an answer fills one field or several components',
  after: ['ask_user'],
  writes: ['schema', 'tasks', 'notes'],
  run(given, happened) {
    const { decision } = happened;
    if (decision.action !== 'ask_user') return {};
    const subject = subjectOf(decision);
    const answer = resultOf(happened);
    if (answer === undefined) return { notes: noted(given, [`The question about ${subject} ${endOf(happened)}.`]) };
    if (answer === null) return { notes: noted(given, [`The person does not know ${subject}.`]) };
    const mayFill = new Set([subject, decision.field, ...componentsOf(given, decision.field)]);
    const notes: string[] = [];
    let state = given;
    for (const [name, value] of Object.entries(isObject(answer) ? answer : { [subject]: answer })) {
      const field = mayFill.has(name) ? fieldOf(state, name) : undefined;
      if (field === undefined) {
        notes.push(`The answer names ${quote(name)}, which was not asked; expected ${[...mayFill].join(', ')}.`);
        continue;
      }
      const valued = validValue(field, value);
      if (!valued.ok) {
        notes.push(`The answer is not taken. ${valued.why}.`);
        continue;
      }
      if (field.value !== undefined && field.value !== valued.value) {
        notes.push(`${name} was ${field.value}; the person says ${valued.value}.`);
      }
      const tasks = state.tasks.filter((task) => task.field !== name);
      state = { ...state, tasks, schema: filled(state, name, valued.value, { is: 'person' }) };
    }
    const { schema, tasks } = state;
    return { schema, ...(state !== given && { tasks }), ...(notes.length > 0 && { notes: noted(given, notes) }) };
  },
};

/** The number of the calculator; without one, the failure is counted and becomes a task. */
export const takeCalculation: Seen = {
  name: 'take_calculation',
  about: 'the size, or a failure more',
  after: ['calculate'],
  writes: ['schema', 'calculation', 'tasks', 'notes'],
  run(state, happened) {
    const { target } = state.schema;
    const { calculation } = state;
    const result = resultOf(happened);
    const value = isObject(result) ? result['value'] : undefined;
    if (typeof value !== 'string' || value === '') {
      const why = `The calculation ${endOf(happened)}.`;
      return {
        calculation: { ...calculation, failures: calculation.failures + 1 },
        tasks: withTask(state, target, why),
        notes: noted(state, [why]),
      };
    }
    const expression = state.schema.recipe?.expression ?? '';
    return {
      calculation: { ...calculation, value },
      schema: filled(state, target, value, { is: 'calculation', expression }),
      tasks: state.tasks.filter(({ field }) => field !== target),
    };
  },
};

/** A thought stays; a task that it was about is settled, by the evidence that it names where it names some. */
export const takeNote: Seen = {
  name: 'take_note',
  about: 'the note stays, its task is settled',
  after: ['reflect'],
  writes: ['notes', 'tasks', 'schema'],
  run(state, { decision }) {
    if (decision.action !== 'reflect') return {};
    const { note, field, evidence } = decision;
    const tasks = state.tasks.filter((task) => task.field !== field);
    const counts = state.evidence.find((one) => one.field === field && one.source.id === evidence);
    return {
      notes: noted(state, [note]),
      ...(tasks.length < state.tasks.length && { tasks }),
      ...(counts !== undefined && { schema: filled(state, counts.field, counts.value, counts.source) }),
    };
  },
};

export const OBSERVERS: readonly Seen[] = [tally, observe, observeUser, takeCalculation, takeNote];

function hitsIn(results: Took['results']): readonly Hit[] {
  const [result] = Object.values(results);
  const hits = isObject(result) ? result['hits'] : undefined;
  if (!Array.isArray(hits)) return [];
  return hits.filter(
    (hit): hit is Hit & JsonValue =>
      isObject(hit) && ['id', 'title', 'snippet'].every((key) => typeof hit[key] === 'string'),
  );
}

function resultOf({ results }: Took): JsonValue | undefined {
  return Object.values(results)[0];
}

function endOf({ status, message, results }: Took): string {
  const [result] = Object.values(results);
  const how = status === 'succeeded' || status === 'reused' ? `gave ${describeValue(result)}` : `ended as ${status}`;
  return message === undefined ? how : `${how}: ${message}`;
}

function filled({ schema, ...state }: State, name: string, value: string, source: Source): State['schema'] {
  const field = fieldOf({ schema, ...state }, name);
  if (field === undefined) return schema;
  return { ...schema, fields: { ...schema.fields, [name]: { ...field, value, source } } };
}

function isTold({ evidence }: State, { field, source }: Evidence): boolean {
  return evidence.some((one) => one.field === field && one.source.id === source.id);
}

/** One task for a field, the last. */
function withTask({ tasks }: State, field: string, why: string): readonly OpenTask[] {
  return [...tasks.filter((task) => task.field !== field), { field, why: cut(why, MAX_NOTE) }];
}

function noted({ notes }: State, more: readonly string[]): readonly string[] {
  return [...notes, ...more.map((note) => cut(note, MAX_NOTE))].slice(-MAX_NOTES);
}

function isObject(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
