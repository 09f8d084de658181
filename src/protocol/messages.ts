import { DECISION_KINDS, CONTROL_ACTIONS } from './decision.ts';
import { maybe, type Of } from './shape.ts';

/** All messages, with descriptions for Temporal's UI and CLI. Each can be a signal, or an update with a reply. */
export const MESSAGES = {
  approve:
    'Approve exactly the open plan: {"digest":"first 8 hex digits or more","by":"who","role":"optional","comment":"optional"}',
  reject: 'Reject the open plan: {"digest":"...","by":"who","comment":"why"}',
  decide: `Any decision: {"kind":"${DECISION_KINDS.join('|')}","digest":"...","by":"who"}; approve-part has "nodes":["node_3"], edit has "plan":{...}, revise has "feedback":"..."`,
  answer:
    'Answer an open question: {"question":"its id","value":any JSON,"by":"who"}; the query "questions" tells the ids',
  control: `Steer: {"action":"${CONTROL_ACTIONS.join('|')}","node":"node_3","outcome":"succeeded|failed (resolve)","value":"result (resolve succeeded)","by":"who","comment":"why (kill, or retry-node of an uncertain node)"}`,
} as const satisfies Record<string, string>;

export type MessageName = keyof typeof MESSAGES;
export const MESSAGE_NAMES = Object.keys(MESSAGES) as readonly MessageName[];

/** The parts of a view that have their own query. */
export const OWN_PARTS = ['status', 'plan', 'nodes', 'questions', 'trace'] as const;
export type OwnPart = (typeof OWN_PARTS)[number];

export const QUERIES = {
  view: `Any of its parts in one answer: {"parts":["${OWN_PARTS.join('","')}"],"nodes":{"after":"node_200"}}, all optional; "rest" asks for what did not fit.`,
  status: 'Phase, outcome, digest, counts and the next command.',
  plan: 'The plan as a text tree, with its digest and reference.',
  nodes: 'A page of nodes: {"after":"node_200","limit":200}, both optional.',
  trace: 'What happened and who said what: {"after":200,"limit":200}, both optional.',
  questions: 'What the run waits for a person to say, each with the message to send: {"after":"id","limit":100}.',
  mayBegin:
    'Whether effects that are under way may begin now, asked by the workers that are about to: {"work":[7]}; for each null, or why not, and by which signed messages.',
  reply: 'What an update was answered, by its id: {"update":"id"}; null when the run does not know it.',
} as const satisfies Record<string, string>;

export type QueryName = keyof typeof QUERIES;

/** The page that a query asks for. `after` is the last entry of the previous page. */
export interface PageRequest {
  readonly after?: unknown;
  readonly limit?: unknown;
  readonly update?: unknown;
  readonly work?: unknown;
  /** If the run has ended: its number of history events. Without it the run may not answer. */
  readonly ended?: unknown;
}

export const MAY_BEGIN = {
  /** For each task, in order: null if it may begin, otherwise why not. */
  words: ['said'],
  /** The signed messages that allow the tasks; present if messages are signed. */
  tokens: maybe(['text']),
  /** For each task, indexes into `tokens` of the messages that approve or repeat it. */
  proofs: maybe([['count']]),
  /** Costs and states that senders of the tokens saw, as texts whose hashes are `shown` in the tokens. */
  figures: maybe(['text']),
  /** In an agent's run: the parent run, which must be asked too, and the key by which the parent knows this agent. */
  parent: maybe({ workflowId: 'text', key: 'text' }),
} as const;

/** The answer to the query `mayBegin`. */
export interface MayBeginReply extends Of<typeof MAY_BEGIN> {}

/** Part of the error of a query that succeeds if it is repeated a moment later. */
export const ASK_AGAIN = 'ask again in a moment';
/** The error of a query while the run moves to its next history. */
export const BETWEEN_HISTORIES = `the run is taken up in a new history; ${ASK_AGAIN}`;
/** The start of a query's error while the store cannot load the state from the previous history. */
export const WAITS_BETWEEN = 'the run is between two histories and waits for the result store';
/** The error of a query if the run has not processed its latest events yet. */
export const UNHEARD = `the run has not processed its newest messages yet; ${ASK_AGAIN}, or of a run that has ended with {"ended": events in its history}`;

export const DEFAULT_TASK_QUEUE = 'planwright';
export const DEFAULT_NAMESPACE = 'default';

export const PLAN_WORKFLOW = 'planWorkflow';

/** The workflow type of an agent's run, a child of the run that has the agent's node. */
export const AGENT_WORKFLOW = 'agentWorkflow';
/** The workflow type that runs one activity of another language's worker for a node. */
export const ACTIVITY_WORKFLOW = 'activityWorkflow';
export const AGENT_SIGNAL = 'agent';
/** The signal with which a running part reports ended nodes to its run. */
export const PART_SIGNAL = 'part';

/** The reply to a task that may not begin only because the run moves to a new history. */
export const NEW_HISTORY = 'the run goes on in a new history';

/** The search attribute (KeywordList) with the roles that a run waits for, or `anyone`. Optional. */
export const WAITS_FOR_ATTRIBUTE = 'PlanWaitsFor';
