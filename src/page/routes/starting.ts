import { contextRefs, jsonFlaw, planDocument, type CompiledPlan } from '../../plan/index.ts';
import { cutCharacters, jsonIn } from '../../plan/text/index.ts';
import { issuesOf, OperationError, perform, performSent, toOperationError } from '../../operations/index.ts';
import { given, isRecord } from '../../protocol/index.ts';
import type { Sent } from '../../operations/words/index.ts';
import type { App, Page } from '../page.ts';
import { runPath } from '../paths.ts';
import { editPage, newPage, type PlanDraft } from '../view/plan.ts';
import { readRunView } from './reading.ts';
import { receiveForm } from './saying.ts';

export function addStarting(app: App, page: Page): void {
  const { plans, watches, show } = page;

  app.get('/new', async (visit) => show(visit, { title: 'New plan', main: await newPage(undefined) }));

  app.post('/new', async (visit) => {
    const sent = await receiveForm(visit, page);
    return show(visit, { title: 'New plan', main: await newPage(await drafted(textIn(sent, 'document'))) });
  });

  app.post('/new/start', async (visit) => {
    const sent = await receiveForm(visit, page);
    const document = textIn(sent, 'document');
    try {
      const { workflowId } = await performSent('start', plans, { document, ...settingsIn(sent) });
      return visit.redirect(runPath(workflowId), 303);
    } catch (error) {
      const failure = toOperationError(error, plans.typed);
      if (failure.code !== 'PLAN_INVALID') throw failure;
      const main = await newPage({ document, issues: issuesOf(failure), seen: [] });
      return show(visit, { title: 'New plan', main }, 422);
    }
  });

  app.post('/new/goal', async (visit) => {
    const sent = await receiveForm(visit, page);
    const { workflowId } = await performSent('start', plans, { goal: textIn(sent, 'goal'), ...settingsIn(sent) });
    return visit.redirect(runPath(workflowId), 303);
  });

  app.get('/runs/:run/edit', async (visit) => {
    const { open, roles } = await openPlan(readRunView(visit));
    const main = editPage({ workflowId: readRunView(visit), open, roles, written: writtenOf(open) });
    return show(visit, { title: 'Edit', main });
  });

  app.post('/runs/:run/edit', async (visit) => {
    const sent = await receiveForm(visit, page);
    const workflowId = readRunView(visit);
    const { open, roles } = await openPlan(workflowId);
    const draft = await drafted(textIn(sent, 'document'), open);
    return show(visit, { title: 'Edit', main: editPage({ workflowId, open, roles, draft }) });
  });

  async function openPlan(workflowId: string) {
    const { seen } = await watches.look(workflowId);
    const roles = seen.open.find(({ kind }) => kind === 'approval')?.roles;
    if (seen.plan !== undefined) return { open: seen.plan, roles };
    const why =
      seen.trouble?.message ??
      'its plan is not there yet, or in another result store than this page has; start the page with --store DIR or --config FILE';
    throw new OperationError('REFUSED', `the plan of run ${workflowId} cannot be edited here: ${why}`);
  }

  /** Compiles a document, against the project if there is one. Issues are part of the result and throw no error. */
  async function drafted(document: string, open?: CompiledPlan): Promise<PlanDraft> {
    // An edit may use the run's context.
    const refs = open === undefined ? {} : contextRefs(open);
    const request = { document, contextRefs: refs, format: 'auto' } as const;
    try {
      const { plan, executors, warnings, seen } = await perform('compile', plans, request);
      return { document, issues: warnings, seen, plan, ...given({ executors }) };
    } catch (error) {
      const failure = toOperationError(error, plans.typed);
      if (failure.code !== 'PLAN_INVALID') throw failure;
      return { document, issues: issuesOf(failure), seen: [] };
    }
  }
}

function writtenOf(plan: CompiledPlan): string | undefined {
  const document = planDocument(plan);
  return document === undefined ? undefined : JSON.stringify(document, null, 2);
}

/** A text field of a form. Browsers send CRLF for a line break, which becomes LF. */
function textIn(sent: Sent, name: string): string {
  return (sent(name)[0] ?? '').replaceAll('\r\n', '\n');
}

/** The id and the options of a new run. @throws OperationError INPUT_INVALID if the options are not a JSON object */
function settingsIn(sent: Sent) {
  const settings = Object.fromEntries(
    ['approval', 'onFailure', 'mode'].flatMap((name) => (sent(name)[0] ? [[name, sent(name)[0]]] : [])),
  );
  const more = (sent('options')[0] ?? '').trim();
  const id = (sent('workflowId')[0] ?? '').trim();
  return given({
    workflowId: id === '' ? undefined : id,
    options: { ...settings, ...(more === '' ? {} : objectIn(more)) },
  });
}

const GIVEN = 80;

function objectIn(text: string): object {
  const flaw = jsonFlaw(text);
  if (flaw !== undefined) throw new OperationError('INPUT_INVALID', `options: ${flaw}`);
  const read = jsonIn(text);
  if (isRecord(read)) return read;
  throw new OperationError(
    'INPUT_INVALID',
    `options: expected a JSON object such as {"concurrency":10}, got ${cutCharacters(text, GIVEN)}`,
  );
}
