import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { ArtifactOptions, ListArtifactsOptions, SaveArtifactOptions } from '../actions/artifact.ts';
import { projectOptions } from './project-options.ts';

export function artifactCommand(): Command {
  const command = new Command('artifact').description(
    'what a conversation found out or proposes, before anything runs',
  );
  for (const one of [saveCommand(), listCommand(), showCommand()]) command.addCommand(one);
  return example(command, 'planwright artifact save findings.json --conversation reef-7 --by ana');
}

function saveCommand(): Command {
  const command = conversation('save', 'keep an artifact')
    .argument('<file>', 'JSON: { title, summary, assumptions, parameters, proposedPlan }; - for standard input')
    .option('--by <name>', 'who saves (default: your user name)');
  return act<SaveArtifactOptions>(command, async () => (await import('../actions/artifact.ts')).saveArtifact);
}

function listCommand(): Command {
  const command = conversation('list', 'the artifacts of a conversation, in order')
    .option('--limit <n>', 'the last so many', '50')
    .option('--full', 'with contents, in JSON');
  return act<ListArtifactsOptions>(command, async () => (await import('../actions/artifact.ts')).listArtifacts);
}

function showCommand(): Command {
  const command = conversation('show', 'an artifact with its contents').argument('<id>', 'the artifact');
  return act<ArtifactOptions>(command, async () => (await import('../actions/artifact.ts')).showArtifact);
}

function conversation(name: string, description: string): Command {
  return projectOptions(new Command(name))
    .description(description)
    .requiredOption('--conversation <id>', 'the conversation, any text of at most 200 characters');
}
