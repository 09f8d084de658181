/**
 * The reactive story of the control room decided by a real model, small and silly: whatever it says, no device is written to
 * without the operator's yes, and the guard counts its rounds.
 */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { orbitCapabilities } from '../../examples/control-room/orbit/capabilities.ts';
import { openCorrectors } from '../../examples/control-room/orbit/corrector-room.ts';
import { CENTRE } from '../../examples/control-room/orbit/model-script.ts';
import { orbitApproval } from '../../examples/control-room/orbit/orbit-config.ts';
import { openAIClient, type ModelClient } from '../../src/models/index.ts';
import { sharedRig } from '../support/rig.ts';
import { fileFolder } from '../support/folders.ts';

const MAX_ROUNDS = 6;
const folder = fileFolder('model');
const room = openCorrectors(join(folder, 'correctors.jsonl'));
const baseURL = process.env['PLANWRIGHT_MODEL_URL'] ?? '';
const server = openAIClient({ baseURL, name: 'SmolLM2-135M', api: 'chat', format: 'json_schema' });
/** A model of this size writes on and on. */
const model: ModelClient = {
  name: server.name,
  complete: (request, options) => server.complete({ ...request, maxTokens: 200 }, options),
};

const rig = await sharedRig({ capabilities: orbitCapabilities(room), model });

test('a model that nobody says yes to writes to no corrector, and ends at the cap of its rounds or before', async () => {
  const options = { mode: 'reactive', maxRounds: MAX_ROUNDS, approval: orbitApproval() };
  const run = await rig.start({ goal: CENTRE, options });
  const refused: string[] = [];
  for (;;) {
    const status = await lookAt(run);
    if (status.phase === 'closed') break;
    for (const { kind, id, digest, text } of await rig.open(run)) {
      if (kind === 'approval') {
        refused.push(text);
        await rig.say(run, 'decide', { kind: 'reject', digest, by: 'operator', comment: 'not now' });
      } else await rig.say(run, 'answer', { question: id, digest, value: 'I do not know', by: 'operator' });
    }
  }
  // A loop of which two replies in a row are no step ends failed.
  const outcome = await run.result().then(
    (result) => (result as RunResult).outcome,
    (error: unknown) => (error instanceof WorkflowFailedError ? 'failed' : Promise.reject(error)),
  );
  const { loop } = await run.query<RunStatus>('status');
  expect(loop?.round).toBeLessThanOrEqual(MAX_ROUNDS);
  expect(['done', 'failed', 'rejected']).toContain(outcome);
  // The way to safety is the one write that nobody is asked for.
  const written = room.look().entries.filter(({ does }) => does !== 'safe');
  expect(written).toEqual([]);
  console.info(`${outcome} after ${loop?.round} rounds; ${refused.length} times the operator said no`);
}, 600_000);

/** Waits until it has ended or somebody is asked. */
async function lookAt(run: WorkflowHandle): Promise<RunStatus> {
  for (;;) {
    const status = await run.query<RunStatus>('status');
    if (status.phase === 'closed' || status.waitingFor > 0) return status;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
