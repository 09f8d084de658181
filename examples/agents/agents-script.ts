/** The words of the scripted model: as planner, as researcher twice, as writer, and to the person at the end. */

import { calling, type ScriptedAnswer } from '../from-goal/index.ts';

export const GOAL =
  'Compare the ferries of Norholm and Sandvik over the year, and file a short report with its sources';
/** The planner answers this one in prose. */
export const VAGUE_GOAL = 'Do something nice with what we know about ferries';

const TASKS = {
  norholm: 'Find the figures of the Norholm ferry',
  sandvik: 'Find the figures of the Sandvik ferry',
  report: 'Compare the two ferries, and file a report',
  answer: 'Say what was found and what was filed',
} as const;

const FIGURES = 'Passengers, crossings and crossings that were called off, added up over the year.';

export const NODES = [
  { id: 'norholm', task: TASKS.norholm, agent: 'researcher', hint: FIGURES },
  { id: 'sandvik', task: TASKS.sandvik, agent: 'researcher', hint: FIGURES },
  { id: 'report', task: TASKS.report, agent: 'writer', inputs: ['norholm', 'sandvik'] },
  { id: 'answer', task: TASKS.answer, capability: 'respond', inputs: ['report'] },
];

const FOUND = {
  norholm: 'Norholm: 1370 passengers on 151 crossings, 3 called off (norholm-winter, norholm-summer).',
  sandvik: 'Sandvik: 1734 passengers on 162 crossings, 9 called off (sandvik-winter, sandvik-summer).',
};
const REPORT = `${FOUND.norholm} ${FOUND.sandvik} Sandvik carries more people, and loses more crossings to the weather.`;
const TITLE = 'The ferries of Norholm and Sandvik';

function researching(island: 'norholm' | 'sandvik', words: string): readonly ScriptedAnswer[] {
  const to = { by: 'researcher', wants: 'step', task: TASKS[island] };
  return [
    calling('corpus_search', { words, task: 'Look for texts about the ferry' }),
    calling('corpus_read', { id: `${island}-winter`, task: 'Read about the winter' }),
    calling('corpus_read', { id: `${island}-summer`, task: 'Read about the summer' }),
    calling('finish', { answer: FOUND[island] }),
  ].map((reply, at) => ({ to: { ...to, turn: at + 1 }, reply }));
}

const writing = { by: 'writer', wants: 'step', task: TASKS.report };

export const AGENTS_SCRIPT: readonly ScriptedAnswer[] = [
  {
    to: { by: 'planner', goal: GOAL, wants: 'plan', turn: 1 },
    reply: { value: { nodes: NODES, explanation: 'One researcher for each island, then the writer.' } },
  },
  ...researching('norholm', 'Norholm ferry'),
  ...researching('sandvik', 'Sandvik ferry'),
  {
    to: { ...writing, turn: 1 },
    reply: calling('report_file', { title: TITLE, text: REPORT, task: 'File the report' }),
  },
  { to: { ...writing, turn: 2 }, reply: calling('finish', { answer: `${REPORT} It is filed as "${TITLE}".` }) },
  { to: { wants: 'answer', goal: GOAL }, reply: { text: `${REPORT}\nIt is filed as "${TITLE}".` } },
  {
    to: { by: 'planner', goal: VAGUE_GOAL, wants: 'plan' },
    reply: { text: 'Ferries are lovely. Shall we talk it over?' },
  },
];
