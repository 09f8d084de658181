/** Lays out JSON so that a change of one value is a change of one line, and what is short stays on one. */

const WIDTH = 600;
/** Of answers of the Temporal CLI: what the server counts, which differs each time, and what the command says. */
const LEFT_OUT = /^(eventId|eventTime|taskId|workflowTaskCompletedEventId|runId|namespace|taskQueue)$/;
/** The Temporal CLI tells a result twice. */
const TWICE = 'workflowExecutionCompletedEventAttributes';

/** Texts that are no JSON, and each line of those that are JSON by line, stay as they are. */
export function layOut(text: string): string {
  const trimmed = text.trimEnd();
  const value = parsed(trimmed);
  if (value !== undefined) return laidOut(value, '');
  return trimmed
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function laidOut(value: unknown, indent: string): string {
  const short = JSON.stringify(value) ?? 'null';
  if (typeof value !== 'object' || value === null || indent.length + short.length <= WIDTH) return short;
  const inner = `${indent} `;
  const lines = Array.isArray(value)
    ? value.map((one) => `${inner}${laidOut(one, inner)}`)
    : Object.entries(value).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${laidOut(one, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function parsed(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text, (key, value: unknown) =>
      LEFT_OUT.test(key) || key === TWICE ? undefined : value,
    ) as object;
  } catch {
    return undefined;
  }
}
