/** How `planwright draft` and its subcommands are typed. */

import { Command } from 'commander';
import { act, example, type Declares } from '../act.ts';
import { ACTIONS, type ConversationOptions } from '../actions/index.ts';
import { count, countOr, flag, requiredText, text, textOr } from '../options/index.ts';
import { PROJECT, TASK_QUEUE } from './tables.ts';

export const CONVERSATION = {
  ...PROJECT,
  conversation: requiredText('<id>', 'the conversation, any text of at most 200 characters'),
} satisfies Declares<ConversationOptions>;

/** Which draft of the conversation. */
const DRAFT = {
  ...CONVERSATION,
  draft: text('<name>', 'the draft (default: the one that was saved last)'),
  revision: count('the revision (default: the latest)'),
};

export function draftCommand(): Command {
  const command = new Command('draft').description('plans that are worked on in a conversation, before they run');
  for (const one of [saveCommand(), listCommand(), showCommand(), historyCommand(), handOffCommand()]) {
    command.addCommand(one);
  }
  return example(command, 'planwright draft save plan.json --conversation reef-7 --by planner');
}

function saveCommand(): Command {
  const command = new Command('save')
    .description('compile a plan and keep it as a revision, with errors too (exit 3)')
    .argument('<file>', 'plan document, or the root of its tree with --goal; - for standard input');
  const table = {
    ...CONVERSATION,
    draft: textOr('delegation_draft', '<name>', 'name of the draft'),
    base: count('the revision it was made from; refused when there is a later one', 0),
    goal: text('<text>', 'goal of a plan that has none'),
    by: text('<name>', 'who saves (default: your user name)'),
  };
  return act(command, table, ACTIONS.saveDraft);
}

function listCommand(): Command {
  const command = new Command('list').description('the drafts of a conversation, each with its latest revision');
  return act(command, CONVERSATION, ACTIONS.listDrafts);
}

function showCommand(): Command {
  const command = new Command('show').description('a revision of a draft: its plan, and what is wrong with it');
  return act(command, DRAFT, ACTIONS.showDraft);
}

function historyCommand(): Command {
  const command = new Command('history').description('everything that a conversation holds, in order');
  const table = {
    ...CONVERSATION,
    limit: countOr(50, 'the last so many'),
    full: flag('with contents, in JSON'),
  };
  return act(command, table, ACTIONS.showHistory);
}

function handOffCommand(): Command {
  const command = new Command('hand-off').description(
    'start a run of exactly the plan of a draft, once for each revision',
  );
  const by = text('<name>', 'who hands it off (default: your user name)');
  return act(command, { ...DRAFT, taskQueue: TASK_QUEUE, by }, ACTIONS.handOffDraft);
}
