/** The commands there are, in the order in which the help lists them. */

import type { Command } from 'commander';
import { answerCommand, controlCommand } from './answer.ts';
import { codecCommand } from './codec.ts';
import { combineCommand } from './combine.ts';
import { artifactCommand, draftCommand } from './conversation.ts';
import { approveCommand, decideCommand, rejectCommand } from './decide.ts';
import { demoCommand } from './demo.ts';
import { compileCommand, diffCommand, explainCommand, schemaCommand } from './documents.ts';
import { evalCommand } from './eval.ts';
import { graphCommand } from './graph.ts';
import { inboxCommand, listCommand } from './list.ts';
import { mcpCommand } from './mcp.ts';
import { planCommand } from './plan.ts';
import { capabilitiesCommand, doctorCommand, initCommand } from './project.ts';
import { resultCommand } from './result.ts';
import { rerunCommand, runCommand } from './run.ts';
import { serveCommand } from './serve.ts';
import { openCommand, statusCommand } from './status.ts';
import { storeCommand } from './store.ts';
import { traceCommand } from './trace.ts';
import { watchCommand } from './watch.ts';
import { whyCommand } from './why.ts';
import { devCommand, workerCommand } from './worker.ts';

export { plainSides } from './combine.ts';

export const COMMANDS: readonly (() => Command)[] = [
  initCommand,
  planCommand,
  evalCommand,
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
  codecCommand,
  serveCommand,
  mcpCommand,
  draftCommand,
  artifactCommand,
  storeCommand,
  capabilitiesCommand,
  doctorCommand,
  demoCommand,
];
