/** What waits for a person, in lines, with the command that says it. What a person must fill in is in capitals. */

import { schemaWords, type OpenItem } from '../../wire/contract/index.ts';
import { quoteForShell as shellWord } from '../../language/text/index.ts';
import { asTyped } from '../as-typed.ts';

/** What a person is asked to do, by the message that says it. */
export const WAIT_VERBS: Readonly<Record<OpenItem['send']['name'], string>> = {
  approve: 'approve',
  decide: 'edit',
  answer: 'answer',
  control: 'settle',
};

/** An approval needs no words of its own but what it adds up to: the plan has been shown. */
export function openLines(item: OpenItem, flags: string): string {
  const command = `${WAIT_VERBS[item.send.name]} with: ${commandFor(item, flags)}`;
  if (item.send.name !== 'approve') return `${wordsOf(item)}\n${command}`;
  return [item.warning, item.asks, command].filter((line) => line !== undefined).join('\n');
}

export function wordsOf({ kind, text, asks, nodes, nodeCount, schema }: OpenItem): string {
  if (kind === 'question') return `question: ${text}${schema === undefined ? '' : ` (${schemaWords(schema)})`}`;
  if (kind !== 'approval') return text;
  if (asks !== undefined) return `${text}\n${asks}`;
  return `${text} ${nodes.join(', ')}${nodeCount > nodes.length ? ` and ${nodeCount - nodes.length} more` : ''}`;
}

/** `flags` are the connection flags; `role` is that of whoever will type it, where it is known. */
export function commandFor(item: OpenItem, flags: string, role?: string): string {
  const { send, digest } = item;
  const { input } = send;
  const run = shellWord(item.workflowId);
  const inRole = `${roleFlag(item, role)}${item.signed === true ? ' --key FILE' : ''}${flags}`;
  switch (send.name) {
    case 'approve':
      return asTyped(`approve ${run} --digest ${digest.slice(0, 8)}${inRole}`);
    case 'decide':
      return asTyped(`decide ${run} --kind edit --digest ${digest.slice(0, 8)} --plan FILE${inRole}`);
    case 'answer':
      return asTyped(`answer ${run} ${shellWord(item.id)} ${valueWord(input['value'])}${inRole}`);
    case 'control': {
      const told = (key: string, before = ' ') => (input[key] === undefined ? '' : `${before}${valueWord(input[key])}`);
      const what = `${told('action')}${told('node')}${told('outcome', ' --outcome ')}${told('comment', ' --comment ')}`;
      return asTyped(`control ${run}${what}${inRole}`);
    }
  }
}

export { shellWord };

function roleFlag({ roles }: OpenItem, role: string | undefined): string {
  if (roles === undefined) return '';
  const mine = role !== undefined && roles.includes(role) ? role : roles.length === 1 ? roles[0] : undefined;
  return ` --role ${mine === undefined ? 'ROLE' : shellWord(mine)}`;
}

function valueWord(value: unknown): string {
  return shellWord(typeof value === 'string' ? value : JSON.stringify(value));
}
