/** The cases, in the order of the table. */

import { approvals } from './approvals.ts';
import { chain255 } from './chain-255.ts';
import { chain63 } from './chain-63.ts';
import { empty } from './empty.ts';
import { kill } from './kill.ts';
import { largeResults } from './large-results.ts';
import { manyNodes } from './many-nodes.ts';
import { naps512 } from './naps-512.ts';
import { naps64 } from './naps-64.ts';
import { oneNode } from './one-node.ts';
import { runsOfOne, runsOfTen } from './runs.ts';
import { smallerTree, wideTree } from './tree.ts';
import type { Case } from './case.ts';

export const CASES: readonly Case[] = [
  empty,
  oneNode,
  smallerTree,
  wideTree,
  chain63,
  chain255,
  naps64,
  naps512,
  largeResults,
  runsOfOne,
  runsOfTen,
  kill,
  approvals,
  manyNodes,
];
