/** Tells what a model is asked and what it says, as it happens. */

import type { Backstage, Stage } from '../stage/index.ts';
import { fit, oneLine, wrap } from '../words.ts';
import type { ModelEntry } from './model-ledger.ts';

type AskedEntry = Extract<ModelEntry, { what: 'asked' }>;

interface OpenCall {
  readonly asked: AskedEntry;
  readonly hear: ReturnType<Backstage['createFeedback']>;
  /** Nodes of a plan that were told, and the whole of what was said. */
  nodes: number;
  text: string;
}

/** Columns of the one who speaks, and where plans and problems stand. */
const BY = 12;
const INSET = ' '.repeat(BY + 2);

/** Takes the whole ledger each time, and tells what is new in it. */
export function createCallTeller({
  screen,
  backstage,
}: Pick<Stage, 'screen' | 'backstage'>): (ledger: readonly ModelEntry[]) => void {
  const { paint, width } = screen;
  const calls = new Map<string, OpenCall>();
  let heard = 0;
  let lastTold = '';
  return (ledger) => {
    for (const entry of ledger.slice(heard)) hear(entry);
    heard = ledger.length;
  };

  function hear(entry: ModelEntry): void {
    if (entry.what === 'asked') {
      open(entry);
      return;
    }
    if (!('call' in entry)) return;
    const call = calls.get(entry.call);
    if (call === undefined) return;
    if (entry.what === 'wrote') {
      call.text += entry.text;
      if (call.asked.wants === 'plan') call.hear(entry.text);
      return;
    }
    if (entry.what === 'answered') close(call, entry.did);
    else if (call.text !== '' && call.asked.wants === 'plan') close(call, call.text);
    else say(call.asked.by, paint('red', fit(`fails: ${oneLine(entry.why)}`, width - BY - 2).trimEnd()));
  }

  function open(asked: AskedEntry): void {
    const call: OpenCall = {
      asked,
      nodes: 0,
      text: '',
      hear: backstage.createFeedback(({ is, text }) => {
        if (is === 'node') call.nodes += 1;
        screen.say(INSET + paint('dim', fit(is === 'node' ? text : `"${text}"`, width - INSET.length).trimEnd()));
      }),
    };
    calls.set(asked.call, call);
    const { wants, issues } = asked;
    const isToldAgain = issues.length > 0 && issues.join('\n') === lastTold;
    if (wants === 'plan') lastTold = issues.join('\n');
    if (isToldAgain) say('compiler', paint('red', 'That is no valid plan either. The model is told the same.'));
    else if (issues.length > 0) {
      say('compiler', paint('red', 'That is no valid plan. The model is told:'));
      for (const issue of issues) {
        const [first = '', ...more] = wrap(issue, width - INSET.length - 2);
        screen.say(`${INSET}- ${first}`, ...more.map((line) => `${INSET}  ${line}`));
      }
    }
    if (wants === 'plan') say(asked.by, issues.length === 0 ? 'writes a plan' : 'writes the plan again');
  }

  function close(call: OpenCall, did: string): void {
    const { by, wants } = call.asked;
    if (wants === 'selection') say(by, 'selects capabilities');
    else if (wants === 'task') say(by, 'says what the task is');
    else if (wants === 'plan') {
      if (call.nodes === 0) screen.say(INSET + paint('dim', fit(`"${oneLine(did)}"`, width - INSET.length).trimEnd()));
    } else say(by, fit(oneLine(did), width - BY - 2).trimEnd());
  }

  function say(by: string, text: string): void {
    screen.say(`  ${paint('cyan', by.padEnd(BY))}${text}`);
  }
}
