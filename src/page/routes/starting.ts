import { stringify } from 'yaml';
import { startText } from '../../client/closed-run.ts';
import { contextRefs, jsonFlaw, planDocument, yamlIn, type CompiledPlan, type JsonValue } from '../../plan/index.ts';
import { cutCharacters, jsonIn } from '../../plan/text/index.ts';
import { issuesOf, OperationError, perform, performSent, toOperationError } from '../../operations/index.ts';
import { given, isRecord } from '../../protocol/index.ts';
import { readField, type Sent } from '../../operations/words/index.ts';
import type { App, Page } from '../page.ts';
import { runPath } from '../paths.ts';
import { editPage, newPage, type PlanDraft } from '../view/plan.ts';
import { fieldOfNodes, valuesForm } from '../view/values.ts';
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
    const edited = await openPlan(readRunView(visit));
    const written = await writtenPlan(edited.workflowId, edited.open);
    return show(visit, { title: 'Edit', main: editPage({ ...edited, written }) });
  });

  app.post('/runs/:run/edit', async (visit) => {
    const sent = await receiveForm(visit, page);
    const edited = await openPlan(readRunView(visit));
    const { workflowId, open } = edited;
    const ids = sent('node');
    if (ids.length === 0) {
      const draft = await drafted(textIn(sent, 'document'), open);
      return show(visit, { title: 'Edit', main: editPage({ ...edited, draft }) });
    }
    if (sent('digest')[0] !== open.digest)
      throw new OperationError('STALE', `the plan of run ${workflowId} is another one by now; nothing was sent`);
    const field = fieldOfNodes(open, ids);
    if (field === undefined || field.fields.length !== ids.length)
      throw new OperationError('INPUT_INVALID', 'node: expected nodes of the plan with arguments, each once');
    const read = readField(field, sent);
    if (!read.ok) {
      const misfit = { sent, problem: read.problem, field: read.name };
      return show(visit, { title: 'Edit', main: valuesForm(workflowId, open, ids, misfit) }, 422);
    }
    const written = await writtenPlan(workflowId, open, read.value as Readonly<Record<string, JsonValue>>);
    const draft = written === undefined ? undefined : await drafted(written, open);
    return show(visit, { title: 'Edit', main: editPage({ ...edited, draft }) });
  });

  async function openPlan(workflowId: string) {
    const { seen } = await watches.look(workflowId);
    const roles = seen.open.find(({ kind }) => kind === 'approval')?.roles;
    if (seen.plan !== undefined) return { workflowId, open: seen.plan, roles };
    const why =
      seen.trouble?.message ??
      'its plan is not there yet, or in another result store than this page has; start the page with --store DIR or --config FILE';
    throw new OperationError('REFUSED', `the plan of run ${workflowId} cannot be edited here: ${why}`);
  }

  /** The open plan as the run's start wrote it, or in the same notation. Undefined if it is too large. */
  async function writtenPlan(workflowId: string, open: CompiledPlan, values?: Readonly<Record<string, JsonValue>>) {
    const { client, results: store, ...place } = await plans.session();
    // The server may have deleted the history.
    const started = await startText({ client, store, place }, { workflowId }).catch(() => undefined);
    const own = values === undefined && started !== undefined ? await drafted(started, open) : undefined;
    if (own?.plan?.digest === open.digest) return started;
    const document = planDocument(open, values);
    if (document === undefined) return undefined;
    return yamlIn(started ?? '') === undefined
      ? JSON.stringify(document, null, 2)
      : stringify(document, { lineWidth: 0 });
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
