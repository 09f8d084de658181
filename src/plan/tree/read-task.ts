/** Reading a task node. */

import { below } from '../issues/index.ts';
import { readName, readText, readValue } from '../read-field.ts';
import { CONTEXT_KEYS, DISPLAY_NAME_KEYS, HINT_KEYS, TASK_KEYS } from './node-keys.ts';
import type { NodeSource, Reading, TaskFields } from '../plan-reading.ts';

/** Reads a task node; its `input` waits to be read next. */
export function readTask(source: NodeSource, unread: TaskFields['unread'], reading: Reading): void {
  const { node, place } = source;
  const task = readTaskText(source, reading);
  const hint = readText(source, HINT_KEYS, reading);
  const context = readValue(source, CONTEXT_KEYS, reading, 'invalid-context');
  const capability = readName(source, 'capability', reading);
  const args = readValue(source, ['arguments'], reading, 'invalid-arguments');
  const agent = readName(source, 'agent', reading);
  const displayName = readText(source, DISPLAY_NAME_KEYS, reading);
  const input = node['input'] ?? undefined;
  if (input !== undefined) reading.waiting.push({ value: input, place: below(place, 'input') });
  reading.drafts.push({
    kind: 'task',
    arity: input === undefined ? 0 : 1,
    place,
    task: task ?? '',
    hint,
    context: context.text,
    capability,
    arguments: args.text,
    argumentsKey: 'arguments',
    argumentsRead: args.ok,
    unread,
    agent,
    displayName,
  });
}

/** The one text that a task must have. Undefined comes with an issue. */
function readTaskText(source: NodeSource, reading: Reading): string | undefined {
  const before = reading.issues.errors;
  const task = readText(source, TASK_KEYS, reading, 'invalid-task');
  if (task !== undefined || reading.issues.errors > before) return task;
  const key = TASK_KEYS.find((each) => source.node[each] != null);
  const place = key === undefined ? source.place : below(source.place, key);
  reading.issues.add('error', 'missing-task', place, () => ({
    message: `${key === undefined ? 'The task has no text' : 'The text of the task is blank'}. Say in "task" what is to be done.`,
    expected: 'a text',
  }));
  return undefined;
}
