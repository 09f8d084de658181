/** Asks the model for the next step: its one duty, behind everything that can be decided without it. */

import { z } from 'zod';
import { fenced, ModelError, type JsonSchema, type ModelRequest } from 'planwright';
import { cut, listNames, messageOf, quote } from '../../words.ts';
import type { Caps } from './caps.ts';
import { addressOf, finishFor, reflectOn, type Decision } from './decision.ts';
import { asksOf, componentsOf, fieldOf, isReady, missingWanted, searchesOf } from './fields.ts';
import { calculationStands, openInputs } from './recipe.ts';
import { on, type Around, type MarketStage } from './stages.ts';
import type { State } from './state.ts';

const MAX_TEXT = 1000;
const GOAL_CHARACTERS = 20_000;
const KNOWN_CHARACTERS = 30_000;
const MAX_SUGGESTIONS = 10;

const text = z.string().trim().min(1).max(MAX_TEXT);
const about = { field: text, component: text.optional(), reasoning: text };
const reply = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('search'), ...about, query: text }),
  z.strictObject({
    action: z.literal('ask_user'),
    ...about,
    question: text,
    suggestedAnswers: z.array(text).max(MAX_SUGGESTIONS).default([]),
  }),
  z.strictObject({ action: z.literal('calculate'), reasoning: text }),
  z.strictObject({
    action: z.literal('reflect'),
    note: text,
    field: text.optional(),
    evidence: text.optional(),
    reasoning: text,
  }),
  z.strictObject({ action: z.literal('finish'), reasoning: text }),
]);

const FORMAT = { name: 'planner_decision', schema: z.toJSONSchema(reply, { io: 'input' }) as JsonSchema };

const INSTRUCTIONS =
  'You decide the next step of sizing a market bottom-up. Search for what public sources tell, ask the person only what ' +
  'nobody else knows, reflect to settle an open task of a field (name the field, and as evidence the page that counts) or to ' +
  'note what was learnt, calculate when ' +
  'nothing is missing, finish when no step would change the answer. Take no figure from your memory. One step at a time.';

/** VentureScope: plan_llm. A model that fails leaves a finish and `llmFailed`, which the tick forgets. */
export function planLlm(caps: Caps): MarketStage<'decide'> {
  return on.decide({
    name: 'plan_llm',
    about: 'the model decides',
    writes: ['llmFailed'],
    async run(state, around) {
      try {
        const { value } = await around.ask('plan_llm', planRequest(state, around, caps));
        return { decision: readDecision(state, value) };
      } catch (error) {
        // The caller ends the attempt while another one may cure it, however the round is decided here.
        if (!(error instanceof ModelError)) throw error;
        return { decision: finishFor(`The model has failed: ${messageOf(error)}`), state: { llmFailed: true } };
      }
    },
  });
}

/** The missing and the waiting fields, in the words that the model is given as its task. */
export function openWork(state: State, caps: Caps): string {
  const missing = [...new Set([...openInputs(state, caps), ...missingWanted(state)])];
  const tasks = state.tasks.map(({ field, why }) => `${field} (${why})`);
  const told = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}.`];
  return ['Decide the next step.', ...told('Missing', missing), ...told('Open tasks', tasks)].join(' ');
}

function planRequest(state: State, { task, trouble }: Around, caps: Caps): ModelRequest {
  const evidence = state.evidence.map(({ field, value, source: { id, quote: said } }) => ({ field, value, id, said }));
  const known = { fields: fieldsTold(state), evidence, calculation: calculationStands(state), notes: state.notes };
  const content = [
    fenced('the goal', task.goal, GOAL_CHARACTERS),
    fenced('the task', openWork(state, caps), KNOWN_CHARACTERS),
    fenced('what is known', JSON.stringify(known), KNOWN_CHARACTERS),
    ...(trouble === undefined ? [] : [fenced('what was wrong with the last step', trouble, MAX_TEXT)]),
  ].join('\n\n');
  return {
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content },
    ],
    format: FORMAT,
  };
}

/** A field a line of it: what the model needs to choose and no more. */
function fieldsTold(state: State): Readonly<Record<string, unknown>> {
  const told = Object.entries(state.schema.fields).map(([name, { title, prefer, value }]) => {
    const parts = componentsOf(state, name);
    const tries = { searches: searchesOf(state, name), asks: asksOf(state, name) };
    const how = parts.length > 0 ? { madeOf: parts, ready: isReady(state, name) } : { prefer, ...tries };
    return [name, { title, ...(value === undefined ? how : { value }) }] as const;
  });
  return Object.fromEntries(told);
}

/** A step that cannot be carried out becomes a note, which the next round is told. */
export function readDecision(state: State, value: unknown): Decision {
  const read = reply.safeParse(value);
  if (!read.success) {
    const why = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the reply'}: ${message}`).join('; ');
    return reflectOn(cut(`No decision could be read. ${why}`, MAX_TEXT));
  }
  const said = read.data;
  if (said.action === 'calculate' || said.action === 'finish') return said;
  const { field, action } = said;
  if (field !== undefined && fieldOf(state, field) === undefined) return unknownField(state, action, field);
  if (said.action === 'reflect') {
    const { note, evidence, reasoning } = said;
    if (evidence !== undefined && !isEvidence(state, field, evidence)) {
      return reflectOn(`${quote(evidence)} is no evidence for ${field ?? 'any field'} that was found.`);
    }
    const of = { ...(field !== undefined && { field }), ...(evidence !== undefined && { evidence }) };
    return { action: 'reflect', note, ...of, reasoning };
  }
  const { component, ...rest } = said;
  if (component === undefined || component === rest.field) return { ...rest, ...addressOf(state, rest.field) };
  if (componentsOf(state, rest.field).includes(component)) return { ...rest, component };
  return reflectOn(
    `There is no component ${quote(component)} of ${rest.field}; there are ${listNames(componentsOf(state, rest.field)) || 'none'}.`,
  );
}

function isEvidence(state: State, field: string | undefined, id: string): boolean {
  return state.evidence.some((one) => one.field === field && one.source.id === id);
}

function unknownField(state: State, action: string, field: string): Decision {
  const known = listNames(Object.keys(state.schema.fields));
  return reflectOn(`The step ${action} names ${quote(field)}, which is no field; there are ${known}.`);
}
