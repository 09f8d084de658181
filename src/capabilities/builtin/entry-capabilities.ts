/** The capabilities by which an agent reads a conversation back: its entries, in order, and one of them whole. */

import { z } from 'zod';
import { ENTRY_KINDS, type Drafts, type Entry } from './drafts/index.ts';
import { MODEL_LIMITS, type JsonValue } from '../../plan/index.ts';
import { quote } from '../../plan/text/index.ts';
import { defineCapability, type Capability } from '../index.ts';
import { givenTo, kept, misfit, named } from './draft-arguments.ts';

const text = z.string().optional();

/** Entries of one list (Pathfinder: list_saved_planning_artifacts); the others are counted. */
const MAX_ENTRIES = 50;

/**
 * `listEntries` and `getEntry`, both with the effect `read`. They are not given the goal, since nothing of it is in what
 * they give.
 */
export function entryCapabilities(drafts: Drafts): readonly Capability[] {
  const listEntries = defineCapability({
    name: 'listEntries',
    description:
      'What a conversation holds: artifacts, revisions of drafts, hand-offs and ends of runs, in order, without their contents.',
    guide: {
      when: 'Something may have been found out, drafted or handed off before, and its id or its place is not known.',
      examples: ['listEntries { "conversation": "reef-7", "kind": "draft", "limit": 5 }'],
    },
    input: z.strictObject({
      ...named(['conversation'], text),
      kind: z.enum(ENTRY_KINDS).optional(),
      limit: z.int().min(1).max(MAX_ENTRIES).optional(),
    }),
    output: 'value',
    effect: 'read',
    usesGoal: false,
    reads: ['later entries of the conversation'],
    async execute(task) {
      const { conversation = '', kind, limit = MAX_ENTRIES } = givenTo(task.arguments);
      const listed = kept(await drafts.list(conversation, { limit, ...(kind !== undefined && { kind }) }));
      const list = { entries: listed.entries.map(headOf), total: listed.total };
      const problem = tooLarge(list);
      if (problem === undefined) return list;
      throw misfit(`the list of conversation ${quote(conversation)} ${problem}; ask for fewer with "limit"`);
    },
  });

  const getEntry = defineCapability({
    name: 'getEntry',
    description:
      'One entry of a conversation with its contents: an artifact, a revision of a draft, a hand-off, or the end of a run.',
    guide: {
      when: 'The contents of an entry are needed whose id is known: the plan of a draft, the summary of an artifact.',
      examples: ['getEntry { "conversation": "reef-7", "id": "delegation_draft", "revision": 2 }'],
    },
    input: z.strictObject({ ...named(['conversation', 'id'], text), revision: z.int().min(1).optional() }),
    output: 'value',
    effect: 'read',
    usesGoal: false,
    reads: ['later entries of the conversation'],
    async execute(task) {
      const { conversation = '', id = '', revision } = givenTo(task.arguments);
      const { entry } = kept(await drafts.get(conversation, id, revision));
      const { conversation: _, ...whole } = entry;
      const problem = tooLarge(whole);
      if (problem === undefined) return whole as unknown as JsonValue;
      throw misfit(`entry ${quote(id)} of conversation ${quote(conversation)} ${problem}; let a person look at it`);
    },
  });

  return [listEntries, getEntry];
}

/** The list is of one conversation, and the caller has named it. */
function headOf(entry: Entry): JsonValue {
  const { conversation: _, ...head } = entry;
  return { ...head };
}

/** A person may save what is larger than a model may write or can read. */
function tooLarge(value: object): string | undefined {
  try {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    return bytes <= MODEL_LIMITS.bytes
      ? undefined
      : `takes ${bytes} bytes, and at most ${MODEL_LIMITS.bytes} are read back`;
  } catch (error) {
    if (error instanceof RangeError) return 'has more levels than can be read back';
    throw error;
  }
}
