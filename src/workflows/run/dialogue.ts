/** The state of a run that an edit does not change: messages of people, and questions to them. Plain data. */

import type { Dialogue, Replans } from './state.ts';
import type { Wait } from '../approval/state.ts';
import { DEFAULT_OPTIONS, NO_USAGE, type Planning } from '../../protocol/index.ts';
import { DRAFTING } from '../approval/approval.ts';
import { openTrace } from './trace.ts';

/** The replans of a new run: none. The first one starts from the planning of the goal, if there was one. */
export function openReplans({ notes, asked = 0 }: Partial<Pick<Planning, 'notes' | 'asked'>> = {}): Replans {
  return { plans: 0, classifications: 0, asked, made: 0, ...(notes !== undefined && { notes }) };
}

export function openDialogue(startedAt: string): Dialogue {
  return {
    options: DEFAULT_OPTIONS,
    project: { inbox: false },
    known: 'nothing',
    parentPaused: false,
    made: 'plan',
    editors: [],
    editTokens: [],
    report: 'none',
    keysReadAt: startedAt,
    children: {},
    plannings: 0,
    usage: NO_USAGE,
    startedAt,
    chain: '',
    approval: DRAFTING,
    paused: false,
    cancelled: false,
    begunEffects: {},
    questions: {},
    answered: {},
    defaults: [],
    inbox: [],
    messages: 0,
    pastReplies: {},
    shownRoles: '',
    trace: openTrace(),
  };
}

export function waitFrom(at: string, ms: number): Wait {
  return { since: at, deadline: later(at, ms) };
}

/** Both times are ISO 8601. */
export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}
