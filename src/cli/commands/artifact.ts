/** How `planwright artifact` and its subcommands are typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { countOr, flag, text } from '../options/index.ts';
import { CONVERSATION } from './draft.ts';

export function artifactCommand(): Command {
  const command = new Command('artifact').description(
    'what a conversation found out or proposes, before anything runs',
  );
  for (const one of [saveCommand(), listCommand(), showCommand()]) command.addCommand(one);
  return example(command, 'planwright artifact save findings.json --conversation reef-7 --by planner');
}

function saveCommand(): Command {
  const command = new Command('save')
    .description('keep an artifact')
    .argument('<file>', 'JSON: { title, summary, assumptions, parameters, proposedPlan }; - for standard input');
  const by = text('<name>', 'who saves (default: your user name)');
  return act(command, { ...CONVERSATION, by }, ACTIONS.saveArtifact);
}

function listCommand(): Command {
  const command = new Command('list').description('the artifacts of a conversation, in order');
  const table = {
    ...CONVERSATION,
    limit: countOr(50, 'the last so many'),
    full: flag('with contents, in JSON'),
  };
  return act(command, table, ACTIONS.listArtifacts);
}

function showCommand(): Command {
  const command = new Command('show').description('an artifact with its contents').argument('<id>', 'the artifact');
  return act(command, CONVERSATION, ACTIONS.showArtifact);
}
