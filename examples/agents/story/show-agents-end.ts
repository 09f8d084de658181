/** The end of the story: the replies that were bought, the reports that were filed, the answer, and commands to try next. */

import { relative } from 'node:path';
import type { RunEnd, RunHandle } from 'planwright/client';
import {
  firstLines,
  linkOf,
  reachRun,
  sayEnd,
  shortPath,
  temporalCli,
  textOf,
  verdictLines,
  type Output,
  type Stage,
  type StoryEnd,
} from '../../stage/index.ts';
import { wrap } from '../../words.ts';
import { proofOfCalls, readModelLedger, usageText, type CallKill, type CallProof } from '../../from-goal/index.ts';
import { openArchive } from '../archive.ts';
import { faultsOfReport } from './agents-proof.ts';
import type { FallbackEnd } from './fallback.ts';

interface AgentsEnd {
  readonly stage: Stage;
  readonly run: RunHandle;
  readonly end: RunEnd;
  readonly output: Output;
  readonly kill: CallKill | undefined;
  readonly wantsKill: boolean;
  readonly fallback: FallbackEnd;
  readonly seconds: number;
  readonly stays: boolean;
}

/** `badOutcome` when something was bought twice or filed otherwise than it must be, or when there was no kill to survive. */
export async function showAgentsEnd(given: AgentsEnd): Promise<StoryEnd['ended']> {
  const { stage, run, end, output, kill, wantsKill, fallback, seconds, stays } = given;
  const { screen, workflowId, modelFile, stateFile } = stage;
  const { paint } = screen;
  const text = await textOf(run, end, stage);
  const calls = proofOfCalls(readModelLedger(modelFile), kill);
  const filed = openArchive(stateFile).all();
  const faults = [...calls.faults, ...faultsOfReport(filed)];
  screen.say('', ...callLines(calls, kill, stage));
  screen.say(
    '',
    `${paint('bold', 'Archive')}  ${filed.length} report filed`,
    `         ${paint('dim', shortPath(stateFile))}`,
  );
  screen.say('', ...verdictLines(faults, goodOf(calls, kill), screen));
  const link = await linkOf(stage);
  if (output.format === 'text') screen.say('', paint('bold', 'Answer'));
  output.print(
    {
      ...{ ok: faults.length === 0, workflowId, link, seconds, answer: text, calls, filed, faults, fallback },
      ...(kill && { killed: kill }),
      ...{ ledgerFile: stage.ledgerFile, modelFile, archiveFile: stateFile },
    },
    () =>
      firstLines(
        text.split('\n').flatMap((line) => wrap(line, screen.width - 2).map((part) => `  ${part}`)),
        stage,
      ),
  );
  const missedKill = wantsKill && kill === undefined;
  const span = 'from the goal to the answer';
  return sayEnd(stage, { link, stays, seconds, span, next: nextCommands(stage, stays), faults, missedKill });
}

function callLines(
  { asked, distinct, unanswered, usage }: CallProof,
  kill: CallKill | undefined,
  { screen, modelFile }: Stage,
): readonly string[] {
  const { paint } = screen;
  const row = (count: number, what: string) => `  ${String(count).padStart(4)}  ${what}`;
  return [
    `${paint('bold', 'Calls')}  as the workers wrote them down, before and after each one`,
    `       ${paint('dim', shortPath(modelFile))}`,
    '',
    row(asked, 'calls of the model'),
    row(distinct, 'different requests'),
    ...(kill === undefined
      ? []
      : [
          row(kill.unheard, 'replies that the killed worker had bought and told nobody'),
          row(unanswered, 'calls that it had made and that were not answered'),
        ]),
    `  ${paint('dim', usageText(usage))}`,
  ];
}

function goodOf({ asked, distinct, unanswered }: CallProof, kill: CallKill | undefined): readonly string[] {
  return [
    asked === distinct
      ? 'Every request was bought once.'
      : `Only what was not answered was asked again: ${unanswered}.`,
    ...(kill === undefined ? [] : ['What the killed worker had bought was found in the journal.']),
    'One report was filed, as approved, and its numbers are those of the corpus.',
  ];
}

function nextCommands(stage: Stage, stays: boolean): readonly string[] {
  const { demo, workflowId, modelFile } = stage;
  return [
    ...reachRun(stage, stays, workflowId),
    `npx planwright status ${workflowId} --nodes`,
    `npx planwright trace ${workflowId}`,
    `${temporalCli(stage)} workflow list --query "WorkflowType = 'agentWorkflow'"`,
    `less ${shortPath(modelFile)}`,
    `npx planwright compile ${relative('.', demo.planFile)} --demo ${demo.name}`,
    `npx planwright demo ${demo.name} --model http://127.0.0.1:8080/v1   # your own`,
  ];
}
