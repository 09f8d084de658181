/** Problems of a plan, in lines. */

import type { PlanIssue } from '../../plan/index.ts';
import type { Output } from '../../terminal/index.ts';

/** One line for each issue on stderr. With JSON wanted the issues are in the answer itself. */
export function noteIssues(issues: readonly PlanIssue[], output: Output): void {
  if (output.format === 'json' || output.format === 'jsonl') return;
  for (const { code, severity, path, message, line, column } of issues) {
    const style = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'dim';
    const place = line === undefined ? path : `line ${line}, column ${column ?? 1}${path === '$' ? '' : `, ${path}`}`;
    output.note(`${output.paint(style, `${severity}[${code}]`)} ${place}: ${message}`);
  }
}
