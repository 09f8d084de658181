import { rowLines } from '../../plan/lines/index.ts';
import { byText, entryOfNode, nodeRemark, timeLines } from '../../operations/words/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';

interface Look extends Pick<Output, 'columns'>, Partial<Pick<Output, 'paint'>> {
  /** `worker` adds the worker of each node, `work` its start and end too. */
  readonly tells?: 'work' | 'worker';
  readonly prefix?: string;
}

/** A line per node, with the failure below it. */
export function nodeLines(nodes: readonly SeenNode[], { columns, paint, tells, prefix = '' }: Look): string[] {
  const look = { width: columns, named: true, ...(paint && { paint }) };
  return nodes.flatMap((node) => {
    const words = [nodeRemark(node), tells === 'work' ? timeLines(node).join(', ') : '']
      .filter((part) => part !== '')
      .join('; ');
    const by = tells === 'worker' ? byText(node) : undefined;
    const entry = { ...entryOfNode(node), ...given({ words, by }) };
    return rowLines({ kind: 'node', depth: 0, prefix, entry }, look);
  });
}
