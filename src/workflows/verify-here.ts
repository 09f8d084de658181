/** Checks the tokens that come to this run: they name its namespace as well as its id. */

import { workflowInfo } from '@temporalio/workflow';
import { verifyToken } from '../protocol/identity/token/index.ts';
import type { Verify } from './run/index.ts';

export const verifyHere: Verify = (token, about) =>
  verifyToken(token, { ...about, namespace: workflowInfo().namespace });
