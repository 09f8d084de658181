/** The end that all stories have in common: a result or the reason why there is none, verdicts, and the last words. */

import type { Result, RunEnd, RunHandle } from 'planwright/client';
import type { Screen } from './backstage.ts';
import { commandLines, grouped } from '../words.ts';
import type { StoryEnd } from './demo.ts';
import type { Stage } from './stage.ts';
import { StoryError } from './story-error.ts';

/** @throws StoryError where the run came to no result */
export async function resultOf(run: RunHandle, end: RunEnd, { logFile }: Stage): Promise<Result> {
  if (end.how !== 'completed')
    throw new StoryError('failed', `the run ended as ${end.how}: ${end.message}; the log of its workers is ${logFile}`);
  const { result, outcome } = end.result;
  if (result === undefined) throw new StoryError('no-result', `the run ended as ${outcome}, without a result`);
  return run.readResult(result.ref);
}

/** The same, as a text. */
export async function textOf(run: RunHandle, end: RunEnd, stage: Stage): Promise<string> {
  const answer = await resultOf(run, end, stage);
  return answer.kind === 'text' ? answer.text : '';
}

const ANSWER_LINES = 10;

/** The first lines of an answer; of a longer one their number, and the command that prints all of it. */
export function firstLines(lines: readonly string[], { workflowId }: Pick<Stage, 'workflowId'>): string {
  const more = lines.length - ANSWER_LINES;
  if (more <= 0) return lines.join('\n');
  const all = [
    `and ${grouped(more)} more lines; all of them, with the settings below:`,
    `  npx planwright result ${workflowId}`,
  ];
  return [...lines.slice(0, ANSWER_LINES), ...all].join('\n');
}

/** Every fault in red; where there is none, in green what was found good. */
export function verdictLines(faults: readonly string[], good: readonly string[], { paint }: Screen): readonly string[] {
  if (faults.length > 0) return faults.map((fault) => `  ${paint('red', `✗ ${fault}`)}`);
  return good.map((text) => `  ${paint('green', `✓ ${text}`)}`);
}

interface LastWords {
  readonly link: string;
  /** Whether the server and the worker stay. */
  readonly stays: boolean;
  readonly seconds: number;
  /** From when to when the seconds are, such as `from the goal to the answer`. */
  readonly span: string;
  readonly next: readonly string[];
  readonly faults: readonly string[];
  /** A worker was to be killed, and was not. */
  readonly missedKill?: boolean;
}

/** Says the last words of a story. `badOutcome` when there are faults, or when there was no kill to survive. */
export function sayEnd(
  { screen: { paint, say, width }, server }: Pick<Stage, 'screen' | 'server'>,
  { link, stays, seconds, span, next, faults, missedKill = false }: LastWords,
): StoryEnd['ended'] {
  const took = `${seconds.toFixed(1)} s ${span}.`;
  // A page of a server that is stopped now could not be opened.
  say('', ...(stays || !server.started ? [`${took} In the Web UI:`, `  ${link}`] : [took]));
  say(
    '',
    paint('bold', 'Try next'),
    ...next.flatMap((line) => commandLines(line, width - 2)).map((line) => `  ${line}`),
  );
  if (missedKill) say('', paint('red', 'The run ended before its worker could be killed; give it a slower --pace.'));
  return faults.length === 0 && !missedKill ? 'done' : 'badOutcome';
}
