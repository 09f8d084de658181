import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { GlobalOptions } from '../act.ts';

export function schemaCommand(): Command {
  const command = new Command('schema').description('print the JSON schema (draft-07) of plan documents, for editors');
  example(command, 'planwright schema > plan.schema.json');
  return act<GlobalOptions>(command, async () => (await import('../actions/schema.ts')).schema);
}
