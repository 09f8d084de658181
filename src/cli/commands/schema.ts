/** How `planwright schema` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';

export function schemaCommand(): Command {
  const command = new Command('schema').description('print the JSON schema (draft-07) of plan documents, for editors');
  example(command, 'planwright schema > plan.schema.json');
  return act(command, {}, ACTIONS.schema);
}
