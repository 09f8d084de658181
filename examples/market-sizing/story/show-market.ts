/** The end of the story: the memo, a file of its numbers, the proofs, and commands to try next. */

import { writeFileSync } from 'node:fs';
import type { RoundRecord, RunEnd, RunHandle } from 'planwright/client';
import {
  StoryError,
  firstLines,
  linkOf,
  reachRun,
  resultOf,
  sayEnd,
  shortPath,
  type Output,
  type Screen,
  type Stage,
  type StoryEnd,
} from '../../stage/index.ts';
import { fit, wrap } from '../../words.ts';
import { proofOfCalls, readModelLedger, usageText } from '../../from-goal/index.ts';
import { PAGES } from '../pages.ts';
import { faultsOfSize, faultsOfSources, type MarketReport } from './market-proof.ts';

interface MarketEnd {
  readonly stage: Stage;
  readonly run: RunHandle;
  readonly end: RunEnd;
  readonly output: Output;
  readonly seconds: number;
  readonly killed: { readonly pid: number } | undefined;
  readonly wantsKill: boolean;
  readonly stays: boolean;
}

/** `badOutcome` when a number is not where it should be, a reply was bought twice, or there was no kill to survive. */
export async function showMarket(given: MarketEnd): Promise<StoryEnd['ended']> {
  const { stage, output, seconds, killed, wantsKill, stays } = given;
  const { screen, workflowId, modelFile, ledgerFile, stateFile } = stage;
  const { paint } = screen;
  const report = await reportOf(given);
  const rounds = (await given.run.view(['rounds'])).rounds;
  screen.say('', paint('bold', 'Rounds'), ...rounds.map((round) => roundLine(round, screen)));
  const csvFile = stateFile.replace(/\.state\.jsonl$/, '.csv');
  writeFileSync(csvFile, report.csv);
  const calls = proofOfCalls(readModelLedger(modelFile), killed);
  // How wise a model is that nobody has scripted is not the demo's to say.
  const ofSize = stage.options.model === undefined ? faultsOfSize(report) : [];
  const faults = [...calls.faults, ...faultsOfSources(report, PAGES), ...ofSize];
  screen.say(
    '',
    `${paint('bold', 'Calls')}  ${usageText(calls.usage)}`,
    `       ${paint('dim', shortPath(modelFile))}`,
  );
  screen.say(`${paint('bold', 'CSV')}    ${shortPath(csvFile)}`, '');
  const verdicts =
    faults.length > 0
      ? faults.map((fault) => paint('red', `✗ ${fault}`))
      : goodOf(stage).map((line) => paint('green', `✓ ${line}`));
  screen.say(...verdicts.flatMap((line) => wrap(line, screen.width - 2)).map((line) => `  ${line}`));
  const link = await linkOf(stage);
  if (output.format === 'text') screen.say('', paint('bold', 'Memo'));
  output.print(
    {
      ...{
        ok: faults.length === 0,
        workflowId,
        link,
        seconds,
        ...report,
        calls,
        faults,
        csvFile,
        ledgerFile,
        modelFile,
      },
      ...(killed && { killed }),
    },
    () =>
      firstLines(
        report.memo.split('\n').flatMap((line) => wrap(line, output.lineColumns - 2).map((part) => `  ${part}`)),
        stage,
      ),
  );
  return sayEnd(stage, {
    ...{ link, stays, seconds, span: 'from the goal to the memo', faults },
    next: [
      ...reachRun(stage, stays, workflowId),
      `npx planwright trace ${workflowId} --rounds`,
      `npx planwright capabilities --policy --mermaid --demo ${stage.demo.name}`,
      `less ${shortPath(csvFile)}`,
    ],
    missedKill: wantsKill && killed === undefined,
  });
}

/** A round: who decided, the decision, and the corrector that changed it. */
function roundLine({ round, decider = '', decision, visits = [] }: RoundRecord, { paint, width }: Screen): string {
  const { action, field, component } = decision as Readonly<Record<string, string | undefined>>;
  const rewrote = visits.filter(({ did }) => did === 'rewrote').map(({ stage }) => stage);
  const by = [decider, ...rewrote].join(', ');
  const what = fit(
    `${action}${(component ?? field) === undefined ? '' : ` ${component ?? field}`}`,
    width - BY - 8,
  ).trimEnd();
  return `  ${String(round).padStart(2)}  ${paint('cyan', by.padEnd(BY))}${what}`;
}

const BY = 26;

function goodOf({ options: { model } }: Stage): readonly string[] {
  return [
    'Every number of a page stands on the line that the memo names.',
    ...(model === undefined ? ['The size is what the numbers make, worked out again by whole numbers.'] : []),
    'No reply of the model was bought twice.',
  ];
}

async function reportOf({ stage, run, end }: MarketEnd): Promise<MarketReport> {
  const answer = await resultOf(run, end, stage);
  if (answer.kind !== 'value')
    throw new StoryError('no-result', `the run answered with a ${answer.kind}, and no report`);
  return answer.value as unknown as MarketReport;
}
