/** The errors of a server that differ in their words alone. */

import { ServiceError, QueryNotRegisteredError } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { expect, test } from 'vitest';
import { toClientError } from '../../src/client/client-error.ts';
import { WAITS_BETWEEN } from '../../src/protocol/messages.ts';

const PLACE = { address: 'localhost:7233', namespace: 'default', taskQueue: 'planwright' };
const grpc = (code: number, details: string) => {
  const cause = Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
  return new ServiceError('Failed', { cause });
};
const notFound = (message: string) => new WorkflowNotFoundError(message, 'plan-1', undefined);

test.each<[code: string, error: Error]>([
  ['no-namespace', grpc(5, 'Namespace default is not found.')],
  ['no-run', grpc(5, 'workflow not found for ID: plan-1')],
  ['no-run', notFound('workflow not found for ID: plan-1')],
  ['run-closed', notFound('workflow execution already completed')],
  ['no-worker', grpc(9, 'no poller seen for task queue recently, worker may be down')],
  ['no-worker', grpc(9, 'Cannot query workflow due to Workflow Task in failed state.')],
  ['no-worker', new QueryNotRegisteredError(`${WAITS_BETWEEN}: ENOSPC`, 9)],
  ['no-server', grpc(14, 'Name resolution failed')],
])('%s of %s', (code, error) => {
  expect(toClientError(error, PLACE, 'plan-1')).toMatchObject({ code });
});
