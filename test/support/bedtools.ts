/** The second opinion on COLOCATE: a program of others, which a machine may not have. */

import { spawnSync } from 'node:child_process';

/** Why the comparison cannot be made here; empty where it can. */
export const NO_BEDTOOLS =
  spawnSync('bedtools', ['--version']).status === 0 ? '' : 'bedtools is not on PATH; install it to compare with it';
