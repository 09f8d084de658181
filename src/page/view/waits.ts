/** Waits for a person as cards: the thing that is asked, the values it is about, and a form for each way to answer. */

import type { JsonValue } from '../../language/plan/index.ts';
import { placeName } from '../../language/outline/index.ts';
import { clockText, counted, visible } from '../../language/text/index.ts';
import type { SeenNode } from '../../operations/index.ts';
import { schemaWords, type OpenItem } from '../../wire/contract/index.ts';
import { fieldOf, OTHER, type Field } from '../answer-fields.ts';
import { exact, html, type Html, type Piece } from '../markup.ts';
import { runPath } from '../paths.ts';
import { button, commentField, folded, form, roleField } from './layout.ts';
import { valueList, type NamedValue } from './outline.ts';

export interface Wait {
  readonly item: OpenItem;
  /** The runs of equal plans in which it is asked, one answer for all; the first is the item's own. */
  readonly runs: readonly string[];
  /** The effects above read that an approval is about, with their values. */
  readonly effects: readonly Effect[];
  /** Nodes that may be approved alone; empty in a list of waits. */
  readonly nodes: readonly SeenNode[];
  /** The command that says it. */
  readonly command: string;
}

export interface Effect {
  readonly name: string;
  readonly title: string;
  readonly effect: string;
  readonly values: readonly NamedValue[];
}

const TITLES: Readonly<Record<OpenItem['kind'], string>> = {
  approval: 'Approve?',
  question: 'Question',
  uncertain: 'Did it happen?',
  failed: 'It failed',
  fault: 'It cannot go on',
  budget: 'The budget is spent',
};
/** Runs that a card names. */
const RUNS_NAMED = 20;

export function waitCard(wait: Wait): Html {
  const { item, runs, command } = wait;
  const { kind, roles, since, deadline, warning, signed } = item;
  const text = warning === undefined ? item.text : item.text.replace(`${warning}\n`, '');
  const many = runs.length > 1;
  return html`<section class="wait ${kind}" aria-label="${TITLES[kind]} ${runs[0] ?? ''}">
    <h3>${TITLES[kind]}${many && html` <span class="dim">in ${runs.length} runs</span>`}</h3>
    ${warning !== undefined && html`<p class="warning lines">${warning}</p>`}
    <p class="asked lines">${visible(text, { lines: true })}</p>
    ${item.asks !== undefined && html`<p>${item.asks}</p>`}${effectList(wait.effects)}${answersTo(wait)}
    <p class="meta">
      for ${roles?.join(' or ') ?? 'anybody'}, since ${clockText(since)}, until
      ${clockText(deadline)}${signed === true && ', signed messages only'}
    </p>
    ${folded('By command', html`<pre><code>${command}</code></pre>`)}
  </section>`;
}

function effectList(effects: readonly Effect[]): Html | '' {
  if (effects.length === 0) return '';
  return html`<ul class="effects">
    ${effects.map(
      ({ name, title, effect, values }) =>
        html`<li>
          <b class="fx">! ${effect}</b> <span>${name}</span> ${title}${values.length > 0 && valueList(values)}
        </li>`,
    )}
  </ul>`;
}

/** The runs that an answer goes to: a person may leave some out. */
function runFields(runs: readonly string[]): Html | '' {
  if (runs.length < 2) return '';
  const shown = runs.slice(0, RUNS_NAMED);
  const rest = runs.slice(RUNS_NAMED);
  return html`<fieldset class="runs">
    <legend>In these runs</legend>
    ${shown.map(
      (run) =>
        html`<label><input type="checkbox" name="run" value="${exact(run)}" checked />
          <a href="${runPath(run)}">${run}</a></label>`,
    )}${rest.length > 0 && html`<p>and in ${counted(rest.length, 'more run')}</p>`}${rest.map((run) => html`<input type="hidden" name="run" value="${exact(run)}" />`)}
  </fieldset>`;
}

function answersTo(wait: Wait): Piece {
  switch (wait.item.kind) {
    case 'approval':
      return approval(wait);
    case 'question':
      return question(wait);
    case 'uncertain':
    case 'failed':
      return settling(wait);
    case 'fault':
    case 'budget':
      return goingOn(wait);
  }
}

/** The runs as hidden fields, or as a choice of them. */
function addressed({ item, runs }: Wait, more: Readonly<Record<string, string>> = {}) {
  const run = runs.length > 1 ? {} : { run: runs[0] ?? item.workflowId };
  return { ...run, digest: item.digest, ...more };
}

function approval(wait: Wait): Piece {
  const { item, runs, nodes } = wait;
  const role = roleField(item.roles);
  const which = runFields(runs);
  const isRejected = item.send.name === 'decide';
  const all = runs.length > 1 ? `Approve in ${runs.length} runs` : 'Approve';
  return [
    !isRejected &&
      form(addressed(wait), html`${which}${role}${commentField('Comment')}${button(all, 'approve', 'main')}`),
    !isRejected &&
      nodes.length > 1 &&
      folded(
        'Approve a part',
        form(
          addressed(wait),
          html`${nodeFields(nodes)}${role}${commentField('Comment')}${button('Approve these, and what they take', 'approve-part')}`,
        ),
        'part',
      ),
    !isRejected &&
      folded(
        'Reject',
        form(addressed(wait), html`${which}${role}${commentField('Reason', true)}${button('Reject', 'reject', 'bad')}`),
        'reject',
      ),
    runs.length === 1 &&
      folded(
        'Ask for another plan',
        form(
          addressed(wait),
          html`${role}<label>What another plan should do better <textarea name="feedback" required></textarea></label>${button('Ask for another plan', 'revise')}`,
        ),
        'revise',
      ),
    runs.length === 1 && html`<p><a href="${runPath(item.workflowId, 'edit')}">Edit the plan</a></p>`,
    runs.length === 1 &&
      item.text.includes(' Approved so far by ') &&
      folded(
        'Take back your approval',
        form(addressed(wait), html`${role}${button('Take it back', 'withdraw')}`),
        'withdraw',
      ),
  ];
}

function nodeFields(nodes: readonly SeenNode[]): Html {
  return html`<fieldset>
    <legend>Nodes</legend>
    ${nodes.map(
      ({ id, key, summary, effect = 'read' }) =>
        html`<label><input type="checkbox" name="nodes" value="${id}" />
          ${placeName({ id, ...(key !== undefined && { key }) })}${effect !== 'read' && html` <b class="fx">! ${effect}</b>`}
          ${summary}</label>`,
    )}
  </fieldset>`;
}

function question(wait: Wait): Piece {
  const { item, runs } = wait;
  const { schema, suggestions, default: initial } = item;
  const field = fieldOf({ schema, suggestions, default: initial });
  const hint = schema === undefined ? '' : html`<p class="hint">${schemaWords(schema)}</p>`;
  return form(
    addressed(wait, { question: item.id }),
    html`${runFields(runs)}${hint}${fieldHtml(field)}${roleField(item.roles)}${button('Answer', 'answer', 'main')}`,
  );
}

/** The inputs of a field. */
export function fieldHtml(field: Field): Html {
  const { name, label, hint, isRequired, initial } = field;
  const needed = isRequired && html` required`;
  const about = hint !== '' && name.includes('.') && html` <span class="hint">${hint}</span>`;
  switch (field.kind) {
    case 'group':
      return html`<fieldset>
        <legend>${label}${about}</legend>
        ${field.fields.map(fieldHtml)}
      </fieldset>`;
    case 'choice':
      return html`<fieldset class="choice">
        <legend>${label}${about}</legend>
        ${field.values.map((value) => option('radio', name, value, isSame(value, initial), isRequired && field.other === undefined))}${
          field.other !== undefined &&
          html`<label><input type="radio" name="${name}" value="${OTHER}" /> another</label>${fieldHtml(field.other)}`
        }
      </fieldset>`;
    case 'choices':
      return html`<fieldset class="choice">
        <legend>${label}${about}</legend>
        ${field.values.map((value) => option('checkbox', name, value, Array.isArray(initial) && initial.some((one) => isSame(one, value)), false))}
      </fieldset>`;
    case 'number': {
      const [min, max] = [field.min, field.max].map((bound) => bound !== undefined && bound);
      return html`<label>${label}${about}
        <input
          type="number"
          name="${name}"
          step="${field.isWhole ? '1' : 'any'}"
          ${min !== false && html` min="${min}"`}${max !== false && html` max="${max}"`}${typeof initial === 'number' && html` value="${initial}"`}${needed}
      /></label>`;
    }
    case 'text':
      return html`<label>${label}${about}
        <input
          name="${name}"
          ${field.max !== undefined && html` maxlength="${field.max}"`}
          value="${exact(typeof initial === 'string' ? initial : '')}"
      /></label>`;
    case 'lines':
      return html`<label>${label}${about} <span class="hint">one a line</span><textarea name="${name}">
${exact(Array.isArray(initial) ? initial.filter((one) => typeof one === 'string').join('\n') : '')}</textarea>
      </label>`;
    case 'any':
    case 'json':
      return html`<label>${label}${about} <span class="hint">${field.kind === 'json' ? 'JSON' : 'JSON, or a text'}</span><textarea name="${name}" ${needed}>
${exact(initial === undefined ? '' : typeof initial === 'string' && field.kind === 'any' ? initial : JSON.stringify(initial, null, 2))}</textarea>
      </label>`;
  }
}

function option(
  type: 'radio' | 'checkbox',
  name: string,
  value: JsonValue,
  isChosen: boolean,
  isRequired: boolean,
): Html {
  return html`<label><input
      type="${type}"
      name="${name}"
      value="${exact(JSON.stringify(value))}"
      ${isChosen && html` checked`}${isRequired && html` required`}
    />
    ${wordFor(value)}</label>`;
}

function wordFor(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function settling(wait: Wait): Piece {
  const { item } = wait;
  const [node = ''] = item.nodes;
  return settleForms({ hidden: addressed(wait, { node }), roles: item.roles, runs: runFields(wait.runs) });
}

interface Settling {
  readonly hidden: Readonly<Record<string, string>>;
  readonly roles?: readonly string[] | undefined;
  readonly runs?: Piece;
}

/** What a person can say of a node that has no result. */
export function settleForms({ hidden, roles, runs }: Settling): Piece {
  const role = roleField(roles);
  const resolved = (outcome: string) => ({ ...hidden, outcome });
  const result = fieldOf({});
  return [
    form(
      hidden,
      html`${runs}${role}${commentField('Comment')}${button('Run it again', 'retry-node')}${button('Go on without it', 'skip-node')}`,
    ),
    folded(
      'Give its result',
      form(
        resolved('succeeded'),
        html`${runs}${role}${fieldHtml({ ...result, label: 'Its result; a set is the list of its ids' })}${commentField('How you know')}${button('It succeeded', 'resolve')}`,
      ),
      'settle',
    ),
    folded(
      'Say that it did not happen',
      form(
        resolved('failed'),
        html`${runs}${role}${commentField('How you know')}${button('It failed', 'resolve', 'bad')}`,
      ),
      'unsettle',
    ),
  ];
}

function goingOn(wait: Wait): Piece {
  const { item } = wait;
  const hidden = addressed(wait);
  const canResume = item.send.input['action'] === 'resume';
  return [
    form(
      hidden,
      html`${runFields(wait.runs)}${canResume && button('Go on', 'resume', 'main')}${item.text.includes('fallback') && button('Go on to a plan that no model has made', 'fallback')}`,
    ),
    folded(
      'Kill the run',
      form(hidden, html`${commentField('Reason', true)}${button('Kill', 'kill', 'bad')}`),
      'kill-waiting',
    ),
  ];
}
