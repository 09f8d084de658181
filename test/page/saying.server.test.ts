/** Everything that a person can say on the page, by its forms as they are, without a script in the browser; and what runs make of it. */

import { beforeAll, expect, test } from 'vitest';
import { configOf, serving } from './serving.ts';
import { formIn, plainOf } from './visitor.ts';
import { eventually } from '../support/eventually.ts';

const here = serving(configOf('planning'));
beforeAll(async () => void (await here.visitor.say('/me', '/me', { name: 'operator' })));

const orderOf = (item: string) => ({
  goal: `Order ${item}`,
  plan: { task: `Order ${item}`, capability: 'order', arguments: { item } },
});
const idOf = (url: string) => decodeURIComponent(url.split('/')[2] ?? '');

/** Starts a plan on the page, and reads on until this waits. */
async function started(to: string, fields: Readonly<Record<string, string>>, kind = 'approval'): Promise<string> {
  const { url } = await here.visitor.say('/new', to, fields);
  const id = idOf(url);
  await shown(id, new RegExp(`class="wait ${kind}"`));
  return id;
}

/** Reads the page of a run until it fits. */
function shown(id: string, fits: RegExp): Promise<string> {
  let text = '';
  const look = async () => fits.test(({ text } = await here.visitor.read(`/runs/${id}`)).text) && text;
  return eventually(look, { seen: () => `${fits} did not come:\n${plainOf(text)}` });
}

/** Sends the form of a run's page that has this button, filled in. */
async function say(id: string, does: string, fields: Readonly<Record<string, string>> = {}) {
  const { text } = await here.visitor.read(`/runs/${id}`);
  return here.visitor.say(`/runs/${id}`, '/say', { ...formIn(text, does), ...fields, does });
}

test('a plan is rejected with a reason, and runs nothing', async () => {
  const id = await started('/new/start', { document: JSON.stringify(orderOf('gel')) });
  await say(id, 'reject', { comment: 'too dear' });
  expect(plainOf(await shown(id, /phase rejected/))).toContain('1 cancelled');
  expect(plainOf((await here.visitor.read(`/runs/${id}/trace`)).text)).toMatch(/reject .* by operator.*too dear/);
  expect(await here.project.json('result', id)).toMatchObject({ ok: false, error: { code: 'RUN_REJECTED' } });
});

test('another plan is asked for with what it should do better, and waits for its own approval', async () => {
  const id = await started('/new/goal', { goal: 'GOOD letters' });
  await say(id, 'revise', { feedback: 'with ef' });
  // The plan itself may be read after its revision.
  await shown(id, /revision 2[^]*&quot;ef&quot;/);
  await say(id, 'approve');
  await shown(id, /phase done/);
  // What it kept is read, and the same is run again.
  const again = await say(id, 'rerun');
  expect(idOf(again.url)).not.toBe(id);
  expect(again.status).toBe(200);
  // All its reads are taken over, so nobody is asked again.
  await shown(idOf(again.url), /phase done/);
});

test('a second answer, from a tab that was left open, is told who answered before', async () => {
  const id = await started('/new/goal', { goal: 'ASKING' }, 'question');
  const asked = { ...formIn((await here.visitor.read(`/runs/${id}`)).text, 'answer'), does: 'answer' };
  const answer = (value: string) => here.visitor.say('/me', '/say', { ...asked, value });
  expect(plainOf((await answer('g')).text)).not.toContain('already');
  const { status, text } = await answer('h');
  expect([status, plainOf(text)]).toEqual([409, expect.stringMatching(/was answered by operator at/) as string]);
  await shown(id, /class="wait approval"/);
});

test('a run is paused, goes on, and is killed with a reason', async () => {
  const id = await started('/new/start', { document: JSON.stringify(orderOf('gel')) });
  expect(plainOf((await say(id, 'pause')).text)).toMatch(/waits for approval, paused/);
  expect(plainOf((await say(id, 'resume')).text)).not.toContain(', paused');
  await say(id, 'kill', { comment: 'the freezer is broken' });
  expect(plainOf(await shown(id, /phase aborted/))).toContain('the freezer is broken');
});

test.each([
  ['retry-node', { comment: 'nothing came' }, /class="wait (?:failed|uncertain)"/],
  ['succeeded', { value: '{"ordered":"gel"}', comment: 'it is on the bench' }, /phase done/],
  ['succeeded', {}, /phase done/],
  ['failed', { comment: 'nothing came' }, /phase failed/],
])('an effect that may have happened is settled: %s %j', async (does, fields, then) => {
  const document = JSON.stringify(orderOf('nothing'));
  const id = await started('/new/start', { document, approval: 'effects', onFailure: 'ask' });
  await say(id, 'approve');
  const asked = await shown(id, /class="wait (?:failed|uncertain)"/);
  expect(plainOf(asked)).toContain('there is no such thing');
  await say(id, does, fields);
  expect(plainOf(await shown(id, then))).toContain('Order nothing');
});

test('a plan whose card lacks something is approved on the page that shows all of it, and nowhere else', async () => {
  const long = 'x'.repeat(3000);
  const step = (id: number, item: string) => ({
    step_id: id,
    description: 'Order',
    capability: 'order',
    arguments: { item },
  });
  const steps = [step(1, 'gel'), step(2, `${long}!`)];
  const document = JSON.stringify({ plan: { goal: 'Order much', steps } });
  const id = await started('/new/start', { document, approval: 'effects' });
  const card = await shown(id, /not shown here: [\d,]+ characters/);
  expect(card).not.toContain(long);
  expect(card).not.toMatch(/value="approve"/);
  const path = /href="(\/runs\/[^"]+\/effects)"/.exec(card)?.[1] ?? '';
  const { text } = await here.visitor.read(path);
  expect(text).toContain(`${long}!`);
  const form = formIn(text, 'approve');
  const { allSeen: _, ...unseen } = form;
  const send = (fields: typeof form) => here.visitor.say(path, '/say', { ...fields, does: 'approve' });
  expect(plainOf((await send(unseen)).text)).toContain('does not have all that would happen');
  expect(plainOf((await send({ ...form, allSeen: '1' })).text)).toContain('does not have all that would happen');
  expect(await here.project.json('status', id)).toMatchObject({ waitingFor: 1 });
  await send(form);
  await shown(id, /phase done/);
});

test('the rounds of a loop are told, each with its step', async () => {
  const id = idOf((await here.visitor.say('/new', '/new/goal', { goal: 'STEPWISE', mode: 'reactive' })).url);
  await shown(id, /phase done/);
  expect((await here.visitor.read(`/runs/${id}`)).text).toContain(`/runs/${id}/rounds`);
  const { text } = await here.visitor.read(`/runs/${id}/rounds`);
  expect(plainOf(text)).toMatch(
    /Round 3 of at most \d+\. 3\. .*abcd .*2\. The model chose .* tokens, cost 0.001 .*word cd .*step_2 gave .*why step_2 .*word ab .*step_1 gave .*why step_1/,
  );
  expect(plainOf((await here.visitor.read(`/runs/${id}/nodes/step_1`)).text)).toMatch(
    /1\. The model chose .*word ab .*ended: succeeded/,
  );
});

test('a plan that is not yet a run is shown with its words, and links to no run', async () => {
  const { text } = await here.visitor.say('/new', '/new', { document: JSON.stringify(orderOf('gel')) });
  expect(plainOf(text)).toMatch(/once only .*by order item "gel"/);
  expect(text).not.toMatch(/href="\/runs\/[/"]/);
});
