import { sumOf } from '../../plan/outline/index.ts';
import { nodeTitle, planSentence, type CompiledPlan, type Executor, type PlanIssue } from '../../plan/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { runPath } from '../paths.ts';
import { sideBySide } from './changes.ts';
import { button, commentField, folded, form, roleField, andMore } from './layout.ts';
import { renderPlan } from './outline.ts';
import { counted, cutCharacters } from '../../plan/text/index.ts';

/** Maximum numbers: lines around an issue, characters of a line, and issues. Other issues are counted. */
const SHOWN = { around: 2, characters: 300, issues: 100 };

interface Judged {
  readonly document: string;
  readonly issues: readonly PlanIssue[];
  readonly seen: readonly string[];
}

function issueList({ document, issues, seen }: Judged): HtmlPiece {
  if (issues.length === 0 && seen.length === 0) return html`<p class="said" role="status">No issues.</p>`;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const visible = issues.slice(0, SHOWN.issues);
  return html`<section>
    <p role="status">${counted(errors, 'error')}, ${counted(issues.length - errors + seen.length, 'note')}</p>
    ${visible.filter(({ line }) => line === undefined).map(issueItem)}
    ${seen.map((text) => html`<p class="issue warning">${text}</p>`)}
    <ol class="source">${linesAround(document, visible)}</ol>
    ${andMore(issues.length - visible.length, 'issue')}
  </section>`;
}

function linesAround(document: string, issues: readonly PlanIssue[]): HtmlPiece {
  const lines = document.split('\n');
  const isNear = (at: number) => issues.some(({ line }) => line !== undefined && Math.abs(line - at) <= SHOWN.around);
  return lines.flatMap((text, place) => {
    const at = place + 1;
    if (!isNear(at)) return [];
    const here = issues.filter(({ line }) => line === at).map(issueItem);
    return [html`<li value="${at}"><code>${cutCharacters(text, SHOWN.characters)}</code>${here}</li>`];
  });
}

export function issueItem({ severity, code, path, message, column }: PlanIssue): Html {
  const place = column !== undefined && `column ${column}, `;
  return html`<p class="issue ${severity}"><b>${severity}[${code}]</b> ${place}${path}: ${message}</p>`;
}

export interface PlanDraft extends Judged {
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

export function editPage({ workflowId, open, roles, draft, written }: Edit): Html {
  const text = draft?.document ?? written;
  const label = `The plan that takes the place of the open one, ${open.digest.slice(0, 8)}`;
  const becomes = draft?.plan?.digest ?? '';
  const hidden = { run: workflowId, digest: open.digest, plan: draft?.document ?? '', becomes };
  const put = html`<p>It takes the place of the open plan, and approves nothing.</p>${roleField(roles)}${commentField('Comment')}${button('Put it in its place', 'edit', 'main')}`;
  return html`<h1>Edit the plan of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    ${text === undefined && html`<p class="warning">The open plan is too large to be written here; paste the whole of another one.</p>`}
    ${documentForm(runPath(workflowId, 'edit'), label, text ?? '', 'See what changes')}
    ${draft !== undefined && issueList(draft)}
    ${draft?.plan !== undefined && html`<h2>What changes</h2>${sideBySide(open, draft.plan)}`}
    ${draft?.plan !== undefined && becomes !== open.digest && form(hidden, put, { isLong: true })}`;
}
