/** SKILL.md of the package: a host that sends its plans as they stand has them compiled, approved, asked about and carried out. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { bareProject } from '../../src/config/project/index.ts';
import { textsOf } from '../support/pages.ts';
import { officialHost, plansOf } from './hosts.ts';
import { fileFolder } from '../support/folders.ts';
import { sharedRig } from '../support/rig.ts';

const PLANS = textsOf('SKILL.md', 'json').map((text) => JSON.parse(text) as { readonly goal: string });

const folder = fileFolder('skill');
const rig = await sharedRig({ capabilities: [] });
beforeAll(async () => {
  writeFileSync(join(folder, 'ordered.txt'), 'beaker\nflask\n');
  writeFileSync(join(folder, 'come.txt'), 'flask\n');
  await rig.stopWorker();
  await rig.startWorker(await (await bareProject(folder)).openRegistry());
});

/** What its person says to each form: yes to a plan, and the first of the choices to a question. */
function saidTo(schema: object): Record<string, string> {
  const { properties } = schema as { readonly properties: Readonly<Record<string, { readonly enum?: string[] }>> };
  return 'decision' in properties ? { decision: 'approve' } : { value: properties['value']?.enum?.[0] ?? '' };
}

test('has three plans', () => expect(PLANS).toHaveLength(3));

test.each([
  [0, 'missing.tsv', 'beaker'],
  [1, undefined, 'aspen'],
  [2, 'copy.json', 'flask'],
])('plan %i is done', async (index, file, found) => {
  const plan = PLANS[index];
  const { client, close } = await officialHost(
    plansOf(rig),
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
    {},
    (own) => {
      own.setRequestHandler('elicitation/create', ({ params }) => ({
        action: 'accept',
        content: saidTo((params as { readonly requestedSchema: object }).requestedSchema),
      }));
    },
  );
  const { structuredContent: compiled } = await client.callTool({ name: 'compile', arguments: { plan } });
  expect(compiled).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string, warnings: [] });
  const { structuredContent: ended } = await client.callTool({ name: 'run_plan', arguments: { plan } });
  await close();
  expect(ended).toMatchObject({ outcome: 'done' });
  const written = file === undefined ? JSON.stringify(ended) : readFileSync(join(folder, file), 'utf8');
  expect(written).toContain(found);
});
