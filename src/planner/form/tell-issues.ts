/** The issues of a plan, in the terms of the reply that it came from. */

import type { PlanIssue } from '../../plan/index.ts';
import { isRecord } from '../../protocol/index.ts';

/** The structure of a document, which the model did not write. */
const STRUCTURE = /^\$(?:\.plan|\.left|\.right|\.input|\.inputs\[\d+\]|\.steps\[\d+\])*/;
const WRITTEN_AS: Readonly<Record<string, string>> = {
  '.parameters': '.arguments',
  '.task_objective': '.task',
  '.description': '.hint',
  '.context_key': '.id',
};

/** The compiler's issues with the paths of the flat list that the document was built from; each once. */
export function inReplyTerms(issues: readonly PlanIssue[], nodes: readonly unknown[]): readonly PlanIssue[] {
  const places = new Map(nodes.map((node, index) => [isRecord(node) ? String(node['id']) : '', index]));
  const told = new Set<string>();
  return issues.flatMap((issue) => {
    const index = issue.nodeId === undefined ? undefined : places.get(issue.nodeId);
    const rest = issue.path.replace(STRUCTURE, '');
    const tail = rest.replace(/^\.\w+/, (key) => WRITTEN_AS[key] ?? key);
    const path = index === undefined ? issue.path : `$.nodes[${index}]${tail}`;
    // A node that is used twice stands twice in a tree, and so do its problems.
    const mark = `${issue.code} ${path} ${issue.message}`;
    if (told.has(mark)) return [];
    told.add(mark);
    return [{ ...issue, path }];
  });
}

/** Issues that a model is told of one reply; the first mended, there may be fewer. */
const MOST_TOLD = 20;

/** The errors, a line each. */
export function issueLines(issues: readonly PlanIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const lines = errors.slice(0, MOST_TOLD).map(({ path, message }) => `- ${path}: ${message}`);
  if (errors.length > lines.length) lines.push(`- and ${errors.length - lines.length} more`);
  return lines.join('\n');
}
