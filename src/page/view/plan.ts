/** A plan before its run: a document with its issues, the compiled plan, an edit. */

import { sumOf } from '../../plan/outline/index.ts';
import { nodeTitle, planSentence, type CompiledPlan, type Executor } from '../../plan/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { runPath } from '../paths.ts';
import { sideBySide } from './changes.ts';
import { issueList, type Judged } from './issues.ts';
import { button, commentField, folded, form, roleField } from './layout.ts';
import { renderPlan } from './outline.ts';

export interface PlanDraft extends Judged {
  /** Absent if there are errors. */
  readonly plan?: CompiledPlan;
  readonly executors?: Readonly<Record<string, Executor>>;
}

function choice(label: string, name: string, options: Readonly<Record<string, string>>): Html {
  const all = Object.entries(options).map(([value, word]) => html`<option value="${value}">${word}</option>`);
  return html`<label>${label} <select name="${name}">${all}</select></label>`;
}

const OPTIONS = folded('Options', [
  choice('Approval', 'approval', { '': 'every node waits (required)', effects: 'only effects wait' }),
  choice('If a node fails', 'onFailure', {
    '': 'the run fails',
    partial: 'end with what there is',
    ask: 'ask a person',
  }),
  html`<label>Id of the run <input name="workflowId" placeholder="made from the goal" maxlength="200"></label>`,
  html`<label>Other options, JSON as docs/runs.md has them <input name="options" placeholder='{"concurrency":10}'></label>`,
]);
const MODE = choice('How', 'mode', { '': 'a plan first', reactive: 'step by step', auto: 'as the model chooses' });
const GOAL = html`<label>What is to be done, in words <textarea name="goal" required></textarea></label>`;

/** A new plan from a goal or a document. */
export async function newPage(draft: PlanDraft | undefined): Promise<Html> {
  return html`<h1>New plan</h1>
    <h2>From a goal</h2>
    ${form({}, html`${GOAL}${MODE}${OPTIONS}${button('Start', 'goal', 'main')}`, { to: '/new/goal' })}
    <h2>From a document</h2>
    ${documentForm('/new', 'A plan: JSON, YAML, XML, or text with one in it', draft?.document ?? '', 'Check it')}
    ${draft !== undefined && [issueList(draft), await planOf(draft)]}`;
}

function documentForm(to: string, label: string, document: string, word: string): Html {
  const area = html`<label>${label} <textarea name="document" class="document" spellcheck="false" required>
${exact(document)}</textarea></label>`;
  return form({}, html`${area}${button(word, 'check')}`, { to, isLong: true });
}

/** The compiled plan, and the form that starts it. */
async function planOf({ document, plan, executors = {} }: PlanDraft): Promise<HtmlPiece> {
  if (plan === undefined) return '';
  const nodes = Object.values(plan.nodesById).map((node): SeenNode => {
    const { name, version, kind, effect } = executors[node.id] ?? {};
    const executor = name === undefined ? 'not known here' : `${kind} ${name}@${version}`;
    const key = node.kind === 'task' ? node.contextKey : undefined;
    return given({ id: node.id, status: 'pending' as const, summary: nodeTitle(node), executor, effect, key });
  });
  const start = html`<p>Starting it runs nothing that waits for approval.</p>${OPTIONS}${button('Start', 'start', 'main')}`;
  return html`<h3>${plan.goal}</h3>
    <p>${planSentence(plan)}</p>
    <p>digest <code>${plan.digest}</code></p>
    ${Object.keys(executors).length > 0 && html`<p>${sumOf(nodes)}</p>`}
    ${await renderPlan({ nodes, plan })}
    ${form({ document }, start, { to: '/new/start', isLong: true })}`;
}

interface Edit {
  readonly workflowId: string;
  readonly open: CompiledPlan;
  readonly roles: readonly string[] | undefined;
  readonly draft?: PlanDraft | undefined;
  /** The open plan as a document; undefined if it is too large. */
  readonly written?: string | undefined;
}

/** The open plan as editable text, and the changes of an edit. */
export function editPage({ workflowId, open, roles, draft, written }: Edit): Html {
  const text = draft?.document ?? written;
  const label = `The plan that takes the place of the open one, ${open.digest.slice(0, 8)}`;
  const hidden = { run: workflowId, digest: open.digest, plan: draft?.document ?? '' };
  const put = html`<p>It takes the place of the open plan, and approves nothing.</p>${roleField(roles)}${commentField('Comment')}${button('Put it in its place', 'edit', 'main')}`;
  return html`<h1>Edit the plan of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    ${text === undefined && html`<p class="warning">The open plan is too large to be written here; paste the whole of another one.</p>`}
    ${documentForm(runPath(workflowId, 'edit'), label, text ?? '', 'See what changes')}
    ${draft !== undefined && issueList(draft)}
    ${draft?.plan !== undefined && html`<h2>What changes</h2>${sideBySide(open, draft.plan)}`}
    ${draft?.plan !== undefined && draft.plan.digest !== open.digest && form(hidden, put, { isLong: true })}`;
}
