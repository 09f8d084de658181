/** The commands there are, in the order in which the help lists them. */

import type { Command } from 'commander';
import { answerCommand } from './answer.ts';
import { capabilitiesCommand } from './capabilities.ts';
import { combineCommand } from './combine.ts';
import { compileCommand } from './compile.ts';
import { controlCommand } from './control.ts';
import { artifactCommand, draftCommand } from './conversation.ts';
import { approveCommand, decideCommand, rejectCommand } from './decide.ts';
import { demoCommand } from './demo.ts';
import { devCommand } from './dev.ts';
import { diffCommand } from './diff.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { graphCommand } from './graph.ts';
import { inboxCommand } from './inbox.ts';
import { initCommand } from './init.ts';
import { listCommand } from './list.ts';
import { openCommand } from './open.ts';
import { planCommand } from './plan.ts';
import { resultCommand } from './result.ts';
import { rerunCommand, runCommand } from './run.ts';
import { schemaCommand } from './schema.ts';
import { statusCommand } from './status.ts';
import { traceCommand } from './trace.ts';
import { watchCommand } from './watch.ts';
import { whyCommand } from './why.ts';
import { workerCommand } from './worker.ts';

export { plainSides } from './combine.ts';

export const COMMANDS: readonly (() => Command)[] = [
  initCommand,
  planCommand,
  runCommand,
  rerunCommand,
  compileCommand,
  combineCommand,
  explainCommand,
  graphCommand,
  diffCommand,
  schemaCommand,
  approveCommand,
  rejectCommand,
  decideCommand,
  answerCommand,
  controlCommand,
  inboxCommand,
  statusCommand,
  watchCommand,
  traceCommand,
  whyCommand,
  openCommand,
  resultCommand,
  listCommand,
  workerCommand,
  devCommand,
  draftCommand,
  artifactCommand,
  capabilitiesCommand,
  doctorCommand,
  demoCommand,
];
