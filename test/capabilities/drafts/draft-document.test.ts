import { describe, expect, test } from 'vitest';
import { createDrafts, type DraftFields } from '../../../src/capabilities/builtin/drafts/index.ts';
import { openStore, planOf } from './rig.ts';

const PLAN = planOf('Find kinases');
const TEXT = JSON.stringify(PLAN);
const NODE = JSON.stringify(PLAN.plan);
const fenced = (text: string) => `What we agreed:\n\n\`\`\`json\n${text}\n\`\`\`\n\nShall I build it?`;

async function save(fields: DraftFields) {
  return createDrafts(await openStore()).saveDraft('reef', fields);
}

async function digestOf(fields: DraftFields): Promise<string | undefined> {
  return (await save(fields)).entry.digest;
}

test.each<[string, DraftFields]>([
  ['a whole document', { plan: PLAN }],
  ['its text', { plan: TEXT }],
  ['its bytes, with a byte order mark', { plan: Buffer.from(`\uFEFF${TEXT}`) }],
  ['the root beside the goal', { goal: PLAN.goal, plan: PLAN.plan }],
  ['the text of the root beside the goal', { delegation_goal: ` ${PLAN.goal} `, delegation_plan: NODE }],
  ['the root under its old names', { delegationGoal: PLAN.goal, delegationPlan: PLAN.plan }],
  ['a document without goal', { goal: PLAN.goal, plan: { plan: PLAN.plan } }],
  ['a document with a null goal', { goal: PLAN.goal, plan: `{"goal":null,"plan":${NODE}}` }],
  ['the text of a document without goal', { goal: PLAN.goal, plan: `{"plan":${NODE}}` }],
  ['a document and its own goal again', { goal: PLAN.goal, plan: TEXT }],
])('Pathfinder: the plan of a draft may come as %s', async (_, fields) => {
  expect(await digestOf(fields)).toBe(await digestOf({ plan: PLAN }));
});

describe('Pathfinder: a plan inside the notes of its draft', () => {
  test.each<[string, DraftFields]>([
    ['fenced', { notes: fenced(TEXT) }],
    ['in a sentence', { notes_markdown: `The plan is ${TEXT}, as you wished.` }],
    ['over several lines', { notesMarkdown: `Plan:\n${JSON.stringify(PLAN, null, 2)}\nEnd.` }],
    ['beside an empty plan', { plan: {}, notes: fenced(TEXT) }],
    ['beside a blank plan', { plan: ' ', notes: fenced(TEXT) }],
    ['beside a null plan', { plan: null, notes: fenced(TEXT) }],
    ['as the root, with its goal', { goal: PLAN.goal, notes: fenced(NODE) }],
  ])('is found %s', async (_, fields) => {
    const { entry } = await save(fields);
    expect(entry.digest).toBe(await digestOf({ plan: PLAN }));
    expect(entry.notes).toBeDefined();
  });

  test.each<[string, DraftFields]>([
    ['no notes', {}],
    ['prose', { notes: 'We shall look for kinases.' }],
    ['JSON that is no plan', { notes: 'Parameters: {"fold": 2, "type": "gene"}' }],
    ['a plan that was cut', { notes: `{"goal":"g","plan":{"type":"combine","operator":"UNION","left":${NODE},` }],
    ['pieces of a broken plan', { goal: 'g', notes: `{"left": ${NODE}, "right": oops}` }],
    ['two plans', { notes: `${TEXT}\n\nor else ${JSON.stringify(planOf('other'))}` }],
    ['nothing but braces', { notes: '{"'.repeat(100_000) }],
  ])('is required where there is %s', async (_, fields) => {
    const message = expect.stringContaining('Give a plan document') as string;
    await expect(save(fields)).rejects.toMatchObject({ code: 'draft-plan-required', message });
  });
});
