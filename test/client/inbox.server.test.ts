/**
 * The inbox of a program, where the search attribute is registered and where it is not. In a namespace of its own, since
 * every namespace says for itself whether it has the attribute.
 */

import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createPlanClient, type Inbox, type PlanClient } from '../../src/client/index.ts';
import { createFileStore } from '../../src/store/index.ts';
import { WAITS_FOR_ATTRIBUTE } from '../../src/protocol/index.ts';
import { createWorker } from '../../src/worker/index.ts';
import { echo, ids } from '../support/capabilities.ts';
import { fileFolder } from '../support/folders.ts';
import { eventually } from '../support/eventually.ts';

const namespace = `inbox-${process.pid}-${Date.now().toString(36)}`;
const taskQueue = 'inbox';
const KEYWORD_LIST = 7;

let connection: Connection;
let workerConnection: NativeConnection;
const folder = fileFolder('inbox');
let plans: PlanClient;
let client: Client;
let stopWorker: () => Promise<void>;

beforeAll(async () => {
  const address = inject('address');
  connection = await Connection.connect({ address });
  workerConnection = await NativeConnection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  client = new Client({ connection, namespace });
  const store = createFileStore(folder);
  plans = createPlanClient({ client, address, namespace, store, taskQueue });
  await eventually(async () => (await client.workflow.count('')).count === 0);
  await startWorker();
});

afterAll(async () => {
  await stopWorker();
  await workerConnection.close();
  await connection.close();
});

async function startWorker(): Promise<void> {
  const worker = await createWorker({
    connection: workerConnection,
    namespace,
    taskQueue,
    registry: createRegistry([ids, echo]),
    store: createFileStore(folder),
    sdk: { workflowBundle: { codePath: inject('bundlePath') } },
  });
  const ended = worker.run();
  stopWorker = async () => {
    worker.shutdown();
    await ended;
  };
}

async function asking(workflowId: string, roles?: readonly string[]): Promise<string> {
  const step = { step_id: 1, capability: 'ask', arguments: { question: `${workflowId}?`, roles }, description: 'ask' };
  const document = { goal: workflowId, steps: [step] };
  const started = await plans.start(JSON.stringify(document), { workflowId, options: { approval: 'effects' } });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  await eventually(async () => (await started.run.view(['status'])).status.waitingFor === 1);
  return workflowId;
}

const runsIn = ({ items }: Inbox) => items.map(({ workflowId }) => workflowId);
const inbox = async (role?: string) => runsIn(await plans.inbox(role === undefined ? {} : { role }));
/** The roles that a run has told its server. */
async function rolesOf(workflowId: string): Promise<unknown> {
  const { typedSearchAttributes } = await client.workflow.getHandle(workflowId).describe();
  return typedSearchAttributes.getAll().find(({ key }) => key.name === WAITS_FOR_ATTRIBUTE)?.value;
}

describe('an inbox', () => {
  const LAB = 'Lab lead-2 é_@x.y';
  const QUOTED = String.raw`o'neil \ "the lab"`;

  test('asks every run where the attribute is not registered', async () => {
    await asking('early-anyone');
    await asking('early-lab', [LAB]);
    await asking('early-legal', ['legal']);
    await eventually(async () => (await inbox()).length === 3);
    expect(await inbox()).toEqual(['early-anyone', 'early-lab', 'early-legal']);
    expect(await inbox(LAB)).toEqual(['early-anyone', 'early-lab']);
    expect(await inbox('nobody')).toEqual(['early-anyone']);
    expect(await rolesOf('early-legal')).toBeUndefined();
  });

  test('once it is registered, loses no run that was started before', async () => {
    await stopWorker();
    const searchAttributes = { [WAITS_FOR_ATTRIBUTE]: KEYWORD_LIST };
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    await eventually(async () => (await client.workflow.count(`${WAITS_FOR_ATTRIBUTE} IS NULL`)).count === 3);
    await startWorker();
    await asking('late-lab', [LAB]);
    await asking('late-legal', ['legal', QUOTED]);
    await asking('late-anyone');
    await eventually(async () => (await client.workflow.count(`${WAITS_FOR_ATTRIBUTE} IS NOT NULL`)).count === 3);
    expect(await rolesOf('late-legal')).toEqual(['legal', QUOTED]);
    expect(await inbox()).toEqual([
      'early-anyone',
      'early-lab',
      'early-legal',
      'late-lab',
      'late-legal',
      'late-anyone',
    ]);
    expect(await inbox(LAB)).toEqual(['early-anyone', 'early-lab', 'late-lab', 'late-anyone']);
    expect(await inbox('legal')).toEqual(['early-anyone', 'early-legal', 'late-legal', 'late-anyone']);
    expect(await inbox('Lab')).toEqual(['early-anyone', 'late-anyone']);
    expect(await inbox(QUOTED)).toEqual(['early-anyone', 'late-legal', 'late-anyone']);
  });

  test('an open run publishes whom it waits for after it has continued as new', async () => {
    await plans.run('early-legal').control({ action: 'go-on', by: 'operator' });
    await eventually(async () => (await rolesOf('early-legal')) !== undefined);
    expect(await rolesOf('early-legal')).toEqual(['legal']);
    expect(await rolesOf('early-lab')).toBeUndefined();
  });

  test('asks only the runs that name the role, and those that name none', async () => {
    // What a run says is not looked at when its attribute says that it waits for somebody else.
    const queries: string[] = [];
    const counted = new Client({
      connection,
      namespace,
      interceptors: {
        workflow: [
          {
            query: (input, next) => {
              queries.push(input.workflowExecution.workflowId ?? '');
              return next(input);
            },
          },
        ],
      },
    });
    const store = createFileStore(folder);
    const asked = createPlanClient({ client: counted, address: inject('address'), namespace, store, taskQueue });
    await asked.inbox({ role: 'legal' });
    const each = ['early-anyone', 'early-lab', 'early-legal', 'late-anyone', 'late-legal'];
    expect([...new Set(queries)].toSorted()).toEqual(each);
    // Once how it stands, and once what it waits for.
    expect(queries.length).toBeLessThanOrEqual(2 * each.length);
  });

  test(
    'lists the oldest up to its limit, says how many more there are, and names who cannot be reached',
    {
      timeout: 60_000,
    },
    async () => {
      const first = await plans.inbox({ limit: 2 });
      expect(runsIn(first)).toEqual(['early-anyone', 'early-lab']);
      expect(first).toMatchObject({ more: 4, unreachable: [], notAsked: 0 });
      const store = createFileStore(folder);
      const elsewhere = createPlanClient({ client, address: inject('address'), namespace, store, taskQueue: 'nobody' });
      await elsewhere.start({ goal: 'g', plan: { task: 'x' } }, { workflowId: 'unheard' });
      await eventually(async () => (await plans.inbox()).unreachable.length === 1);
      const found = await plans.inbox();
      expect(found.unreachable).toEqual([
        {
          workflowId: 'unheard',
          taskQueue: 'nobody',
          reason: 'no worker asks for work on nobody',
          unattended: { taskQueue: 'nobody' },
        },
      ]);
      expect(found.items).toHaveLength(6);
    },
  );
});
