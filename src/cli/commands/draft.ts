import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { HandOffOptions, HistoryOptions, ListDraftsOptions, SaveOptions, ShowOptions } from '../actions/draft.ts';
import { projectOptions } from './project-options.ts';

export function draftCommand(): Command {
  const command = new Command('draft').description('plans that are worked on in a conversation, before they run');
  for (const one of [saveCommand(), listCommand(), showCommand(), historyCommand(), handOffCommand()]) {
    command.addCommand(one);
  }
  return example(command, 'planwright draft save plan.json --conversation reef-7 --by ana');
}

function saveCommand(): Command {
  const command = conversation('save', 'compile a plan and keep it as a revision, with errors too (exit 3)')
    .argument('<file>', 'plan document, or the root of its tree with --goal; - for standard input')
    .option('--draft <name>', 'name of the draft', 'delegation_draft')
    .option('--base <n>', 'the revision it was made from; refused when there is a later one')
    .option('--goal <text>', 'goal of a plan that has none')
    .option('--by <name>', 'who saves (default: your user name)');
  return act<SaveOptions>(command, async () => (await import('../actions/draft.ts')).saveDraft);
}

function listCommand(): Command {
  const command = conversation('list', 'the drafts of a conversation, each with its latest revision');
  return act<ListDraftsOptions>(command, async () => (await import('../actions/draft.ts')).listDrafts);
}

function showCommand(): Command {
  const command = which(conversation('show', 'a revision of a draft: its plan, and what is wrong with it'));
  return act<ShowOptions>(command, async () => (await import('../actions/draft.ts')).showDraft);
}

function historyCommand(): Command {
  const command = conversation('history', 'everything that a conversation holds, in order')
    .option('--limit <n>', 'the last so many', '50')
    .option('--full', 'with contents, in JSON');
  return act<HistoryOptions>(command, async () => (await import('../actions/draft.ts')).showHistory);
}

function handOffCommand(): Command {
  const command = which(conversation('hand-off', 'start a run of exactly the plan of a draft, once for each revision'))
    .option('--task-queue <name>', "task queue of the workers (default: the config's, else planwright)")
    .option('--by <name>', 'who hands it off (default: your user name)');
  return act<HandOffOptions>(command, async () => (await import('../actions/draft.ts')).handOffDraft);
}

function conversation(name: string, description: string): Command {
  return projectOptions(new Command(name))
    .description(description)
    .requiredOption('--conversation <id>', 'the conversation, any text of at most 200 characters');
}

function which(command: Command): Command {
  return command
    .option('--draft <name>', 'the draft (default: the one that was saved last)')
    .option('--revision <n>', 'the revision (default: the latest)');
}
