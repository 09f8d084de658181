/** An open item as the request that a host puts before its person, and the answer as the row that says it. */

import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { OperationName } from '../operations/index.ts';
import { cutCharacters, visible } from '../plan/text/index.ts';
import { isRecord, type OpenItem } from '../protocol/index.ts';
import { readSent } from './sent.ts';
import { valueForm, type HostField } from './value-form.ts';

/** A row and its input, without who says it. */
export interface Word {
  readonly row: Extract<OperationName, 'decide' | 'answer' | 'control'>;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Read = { readonly ok: true; readonly word: Word } | { readonly ok: false; readonly problem: string };

/** Characters of a plan in a request; the rest is in the resource of the plan. */
const MOST_PLAN = 12_000;

const TEXT: HostField = { type: 'string' };
/** The fields of an answer to an item of this kind. */
const FIELDS: Readonly<Record<OpenItem['kind'], (item: OpenItem) => Readonly<Record<string, HostField>>>> = {
  approval: () => ({ decision: { type: 'string', enum: ['approve', 'reject', 'revise'] }, comment: TEXT }),
  question: (item) => valueForm(item).fields,
  uncertain: () => ({
    outcome: { type: 'string', enum: ['succeeded', 'failed'] },
    value: { type: 'string', description: 'with succeeded: its result as JSON' },
    comment: TEXT,
  }),
  failed: () => ({ action: { type: 'string', enum: ['retry-node', 'skip-node'] }, comment: TEXT }),
  fault: ways,
  budget: ways,
};

function ways({ send }: OpenItem): Readonly<Record<string, HostField>> {
  const isStop = send.input['action'] === 'kill';
  return {
    action: { type: 'string', enum: isStop ? ['kill'] : ['resume', 'fallback', 'kill'] },
    comment: { type: 'string', description: 'with kill: why' },
  };
}

/**
 * A form, as hosts can put one up.
 * @param plan the text of the plan that an approval is about
 */
export function formOf(item: OpenItem, plan?: string): ElicitRequestFormParams {
  const properties = FIELDS[item.kind](item);
  const required = item.kind === 'question' ? valueForm(item).required : Object.keys(properties).slice(0, 1);
  const told = plan === undefined ? undefined : cutCharacters(visible(plan, { lines: true }), MOST_PLAN);
  const isCut = plan !== undefined && told !== plan && plan.length > MOST_PLAN;
  const message = [
    visible(item.text, { lines: true }),
    item.asks,
    told,
    isCut ? 'Not all of the plan is shown here: read its resource before you decide.' : undefined,
    suggestionsOf(item),
  ];
  return {
    mode: 'form',
    message: message.filter((line) => line !== undefined).join('\n'),
    requestedSchema: { type: 'object', properties, required: [...required] },
  };
}

function suggestionsOf({ suggestions }: OpenItem): string | undefined {
  return suggestions === undefined
    ? undefined
    : `suggested: ${suggestions.map((one) => JSON.stringify(one)).join(', ')}`;
}

/** Reads the content of a form that was accepted. */
export function readForm(item: OpenItem, content: unknown): Read {
  if (!isRecord(content)) return misfit(item);
  if (item.kind !== 'question' && item.kind !== 'uncertain') return readAnswer(item, content);
  const isQuestion = item.kind === 'question';
  const isLeftOut = content['value'] == null || content['value'] === '';
  if (!isQuestion && isLeftOut) return readAnswer(item, { ...content, value: undefined });
  const read = valueForm(isQuestion ? item : { schema: { type: 'object' } }).read(content);
  if (!read.ok) return read;
  // The fields of a question may have any names.
  return readAnswer(item, isQuestion ? { value: read.value } : { ...content, value: read.value });
}

/**
 * Reads an answer whose value is JSON already. The row that carries it checks what else it says, and the run its meaning.
 * @example readAnswer(item, { decision: 'approve' }); // { ok: true, word: { row: 'decide', input: { kind: 'approve', ... } } }
 */
export function readAnswer(item: OpenItem, said: Readonly<Record<string, unknown>>): Read {
  const { workflowId, digest, revision, id, kind } = item;
  const { decision, outcome, action, value, comment } = said;
  const [field = ''] = kind === 'question' ? ['value'] : Object.keys(FIELDS[kind](item));
  if (said[field] === undefined) return misfit(item);
  const more = comment === undefined || comment === '' ? {} : { comment };
  switch (kind) {
    case 'approval': {
      if (decision === 'revise') {
        return word('decide', { workflowId, kind: decision, digest, revision, feedback: comment });
      }
      return word('decide', { workflowId, kind: decision, digest, revision, ...more });
    }
    case 'question':
      return word('answer', { workflowId, question: id, value: readSent(value, item.schema ?? {}), ...more });
    case 'uncertain':
      return word('control', { workflowId, action: 'resolve', node: id, outcome, digest, value, ...more });
    case 'failed':
      return word('control', { workflowId, action, node: id, digest, ...more });
    case 'fault':
    case 'budget':
      return word('control', { workflowId, action, ...more });
  }
}

function word(row: Word['row'], input: Word['input']): Read {
  return { ok: true, word: { row, input } };
}

function misfit(item: OpenItem): Read {
  const fields = Object.entries(FIELDS[item.kind](item)).map(([name, field]) => {
    const choices = 'enum' in field && field.enum !== undefined ? `: ${field.enum.join(' or ')}` : '';
    return `${name}${choices}`;
  });
  return { ok: false, problem: `expected ${fields.join('; ')}` };
}
