/** A plan before it is one of a run: pasted text with its issues beside the line, the plan that it means, an edit of one. */

import { sumOf } from '../../language/outline/index.ts';
import type { CompiledPlan, Effect, PlanIssue } from '../../language/plan/index.ts';
import { nodeTitle, planSentence } from '../../language/plan/index.ts';
import type { SeenNode } from '../../operations/index.ts';
import { exact, html, type Html, type Piece } from '../markup.ts';
import { runPath } from '../paths.ts';
import { sideBySide } from './changes.ts';
import { issueList } from './issues.ts';
import { button, commentField, folded, form, roleField } from './layout.ts';
import { outlineParts } from './outline.ts';
import { treeOf } from './tree.ts';

export interface Draft {
  readonly document: string;
  readonly issues: readonly PlanIssue[];
  /** Absent where it has errors. */
  readonly compiled?: Compiled | undefined;
  /** What is odd about the files that it reads. */
  readonly seen: readonly string[];
}

interface Compiled {
  readonly plan: CompiledPlan;
  readonly executors?:
    | Readonly<
        Record<
          string,
          { readonly name: string; readonly version: string; readonly effect: Effect; readonly kind: string }
        >
      >
    | undefined;
}

const START = html`<label>Approval
    <select name="approval">
      <option value="">every node waits (required)</option>
      <option value="effects">only effects wait</option>
    </select></label>
  <label>If a node fails
    <select name="onFailure">
      <option value="">the run fails</option>
      <option value="partial">end with what there is</option>
      <option value="ask">ask a person</option>
    </select></label>
  <label>Id of the run <input name="workflowId" placeholder="made from the goal" maxlength="200" /></label>
  <label>Other options <span class="hint">JSON, as docs/runs.md has them</span><input name="options" placeholder='{"concurrency":10}'
  /></label>`;

/** A new plan: from a goal, or a document. */
export function newPage(draft: Draft | undefined): Html {
  return html`<h1>New plan</h1>
    <section>
      <h2>From a goal</h2>
      ${form(
        {},
        html`<label>What is to be done, in words <textarea name="goal" required></textarea></label><label>How
            <select name="mode">
              <option value="">a plan first</option>
              <option value="reactive">step by step</option>
              <option value="auto">as the model chooses</option>
            </select></label>${folded('Options', START)}${button('Start', 'goal', 'main')}`,
        { to: '/new/goal' },
      )}
    </section>
    <section>
      <h2>From a document</h2>
      ${documentForm(draft?.document ?? '')}${draft !== undefined && draftOf(draft)}
    </section>`;
}

function documentForm(document: string): Html {
  return form(
    {},
    html`<label>A plan: JSON, YAML, XML, or text with one in it
        <textarea name="document" class="document" spellcheck="false" required>${exact(document)}</textarea></label>${button('Check it', 'check')}`,
    { to: '/new', isLong: true },
  );
}

function draftOf(draft: Draft): Piece {
  const { compiled, document } = draft;
  return [
    issueList(draft),
    compiled !== undefined && planOf(compiled),
    compiled !== undefined &&
      form(
        { document },
        html`<p>Starting it runs nothing that waits for approval.</p>
          ${folded('Options', START)}${button('Start', 'start', 'main')}`,
        { to: '/new/start', isLong: true },
      ),
  ];
}

/** The plan that a document means. */
function planOf({ plan, executors = {} }: Compiled): Html {
  const nodes = Object.values(plan.nodesById).map((node): SeenNode => {
    const { name = '', version = '', kind = '', effect } = executors[node.id] ?? {};
    const key = node.kind === 'task' ? node.contextKey : undefined;
    const executor = name === '' ? 'not known here' : `${kind} ${name}@${version}`;
    return {
      id: node.id,
      status: 'pending',
      summary: nodeTitle(node),
      executor,
      ...(effect !== undefined && { effect }),
      ...(key !== undefined && { key }),
    };
  });
  return html`<h3>${plan.goal}</h3>
    <p>${planSentence(plan)}</p>
    <p>digest <code>${plan.digest}</code></p>
    ${Object.keys(executors).length > 0 && html`<p>${sumOf(nodes)}</p>`}${treeOf({ plan, nodes })}${outlineParts({ workflowId: '', nodes, plan })?.whole.html()}`;
}

interface Edit {
  readonly workflowId: string;
  /** The plan that is open. */
  readonly open: CompiledPlan;
  readonly roles: readonly string[] | undefined;
  readonly draft: Draft | undefined;
  /** The open plan as a document; undefined where it is too large to be written as one. */
  readonly written: string | undefined;
}

/** The open plan as a text to change, and what a change of it means. */
export function editPage({ workflowId, open, roles, draft, written }: Edit): Html {
  const { compiled } = draft ?? {};
  const text = draft?.document ?? written;
  return html`<h1>Edit the plan of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    ${text === undefined && html`<p class="warning">The open plan is too large to be written here; paste the whole of another one.</p>`}
    ${form(
      { digest: open.digest },
      html`<label>The plan that takes the place of the open one, ${open.digest.slice(0, 8)}
          <textarea name="document" class="document" spellcheck="false" required>${exact(text ?? '')}</textarea></label>${button('See what changes', 'check')}`,
      { to: runPath(workflowId, 'edit'), isLong: true },
    )}${draft !== undefined && issueList(draft)}${
      compiled !== undefined &&
      html`<h2>What changes</h2>
        ${sideBySide(open, compiled.plan)}${
          compiled.plan.digest !== open.digest &&
          form(
            { run: workflowId, digest: open.digest, plan: draft?.document ?? '' },
            html`<p>It takes the place of the open plan, and approves nothing.</p>
              ${roleField(roles)}${commentField('Comment')}${button('Put it in its place', 'edit', 'main')}`,
            { isLong: true },
          )
        }`
    }`;
}
