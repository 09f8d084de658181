import { nodeLabel } from '../../plan/outline/index.ts';
import { nodeTitle, type CompiledPlan } from '../../plan/index.ts';
import { fieldOf, type AnswerField } from '../../operations/words/index.ts';
import { given, isRecord } from '../../protocol/index.ts';
import { html, type Html } from '../markup.ts';
import { runPath } from '../paths.ts';
import { fieldHtml, type Misfit } from './fields.ts';
import { button, form } from './layout.ts';

/** The form for the arguments of these nodes; undefined if none has arguments, or there are too many. */
export function fieldOfNodes(
  plan: CompiledPlan,
  ids: readonly string[],
): Extract<AnswerField, { readonly kind: 'group' }> | undefined {
  const wanted = new Set(ids);
  const tasks = plan.tasks.filter(({ id, arguments: args }) => wanted.has(id) && args !== undefined);
  const schemas = tasks.map((task) => {
    const title = `${nodeLabel(given({ id: task.id, key: task.contextKey }))} ${nodeTitle(task)}`;
    return [task.id, { ...schemaOf(task.arguments), title }] as const;
  });
  const schema = { type: 'object', properties: Object.fromEntries(schemas), required: tasks.map(({ id }) => id) };
  const field = fieldOf({ schema, default: Object.fromEntries(tasks.map(({ id, arguments: args }) => [id, args!])) });
  return field.kind === 'group' ? field : undefined;
}

/** A schema of the kinds of these values. A list is typed as JSON, and null as any value. */
function schemaOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return value === null ? {} : { type: Array.isArray(value) ? 'array' : typeof value };
  const members = Object.entries(value).map(([name, inner]) => [name, schemaOf(inner)]);
  return { type: 'object', properties: Object.fromEntries(members), required: Object.keys(value) };
}

export function valuesForm(run: string, plan: CompiledPlan, ids: readonly string[], misfit?: Misfit): Html | '' {
  const field = fieldOfNodes(plan, ids);
  if (field === undefined) return '';
  const fields = field.fields.map((one) => fieldHtml(one, misfit));
  const hidden = { digest: plan.digest, node: field.fields.map(({ key = '' }) => key) };
  return form(hidden, html`${fields}${button('See what changes', 'values')}`, {
    to: runPath(run, 'edit'),
    isLong: true,
  });
}
