/** The node of a closed run that a step undoes, as the step's text `undoes` names it. */

import { isNodeId } from '../node-id.ts';
import type { NodeId } from '../compiled-plan.ts';

export interface UndoneNode {
  /** For the effect of an agent, the agent's run. */
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly node: NodeId;
  /** The node's identity in its run (`Revision.bindingOf`): 43 characters. */
  readonly key: string;
}

/** The form of the text, for messages. */
export const UNDOES_FORM = 'NODE of WORKFLOW_ID, first run id RUN_ID, key KEY';
const TEXT = /^(\S+) of (.+), first run id ([\w-]{1,100}), key ([\w-]{43})$/su;

/** @example undoneText({ node: 'node_3', ... }); // 'node_3 of plan-1, first run id 0196..., key x7f...' */
export function undoneText({ node, workflowId, firstRunId, key }: UndoneNode): string {
  return `${node} of ${workflowId}, first run id ${firstRunId}, key ${key}`;
}

/** Parses the text. Returns undefined if it has another form. */
export function readUndone(text: string): UndoneNode | undefined {
  const [, node = '', workflowId = '', firstRunId = '', key = ''] = TEXT.exec(text) ?? [];
  return isNodeId(node) ? { node, workflowId, firstRunId, key } : undefined;
}
