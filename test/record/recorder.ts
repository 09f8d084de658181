/**
 * Records what a stranger sees of runs: each command of the Temporal CLI and of the built program, with its output, and
 * its exit code where that is not 0. What differs from one time to the next (times, ids, ports, folders) is replaced by a name in brackets.
 * `UPDATE_RECORDINGS=1` writes the recordings, to be read in the diff; without it they are compared.
 */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import type { Project } from '../cli/project.ts';
import { ROOT } from '../support/source-files.ts';
import { layOut } from './lay-out.ts';

const FOLDER = new URL('recordings/', import.meta.url);
const UPDATE = process.env['UPDATE_RECORDINGS'] === '1';

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A recording that is being made. */
export interface Recorder {
  readonly project: Project;
  /** A command of the built program, in JSON unless it names an output. */
  planwright(...args: readonly string[]): Promise<Output>;
  /** A command of the Temporal CLI about workflows, in JSON. */
  temporal(...args: readonly string[]): Promise<Output>;
  /** Starts a run of this input by the Temporal CLI; one node after the other, so that all is told in one order. */
  start(id: string, input: object, options?: object): Promise<void>;
  /** What the Web UI shows of a run as its details, its status, and what its history names. */
  look(id: string): Promise<void>;
  /** Any other fact. */
  note(name: string, fact: unknown): void;
}

/** A test of one recording. @param project which other recordings may use too */
export function recording(name: string, project: Project, play: (recorder: Recorder) => Promise<void>): void {
  test(name, async () => {
    const lines: string[] = [];
    const add = (title: string, { code, stdout, stderr }: Output) => {
      const told = layOut(settled(stdout.trim() === '' ? stderr : stdout, project));
      lines.push(
        `$ ${settled(title, project)}`,
        ...(code === 0 ? [] : [`exit ${code}`]),
        ...(told === '' ? [] : [told]),
        '',
      );
    };
    const planwright = async (...args: readonly string[]) => {
      const all = args.includes('-o') ? args : [...args, '-o', 'json'];
      const typed = await project.begin(...all).ended;
      add(commandOf('planwright', all), typed);
      return typed;
    };
    const temporal = async (...args: readonly string[]) => {
      const typed = await typeTemporal(project, args);
      add(commandOf('temporal workflow', args), typed);
      return typed;
    };
    await play({
      project,
      planwright,
      temporal,
      async start(id, input, options = {}) {
        const document = 'steps' in input ? { plan: input } : input;
        const given = JSON.stringify({ ...document, options: { concurrency: 1, ...options } });
        const to = ['--type', 'planWorkflow', '--task-queue', project.taskQueue, '--workflow-id', id];
        await temporal('start', ...to, '--input', given);
      },
      async look(id) {
        add(`details of ${id} in the Web UI`, await detailsOf(project, id));
        await planwright('status', id);
        lines.push(settled(`history of ${id}: ${await namedInHistory(project, id)}`, project), '');
      },
      note: (what, fact) => void lines.push(settled(`${what}: ${JSON.stringify(fact)}`, project), ''),
    });
    expectRecording(name, lines.join('\n'));
  });
}

function expectRecording(name: string, text: string): void {
  const file = new URL(`${name}.txt`, FOLDER);
  if (UPDATE) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

function commandOf(program: string, args: readonly string[]): string {
  return [program, ...args.map((arg) => (/^[\w@%+=:,./<>-]+$/.test(arg) ? arg : `'${arg}'`))].join(' ');
}

function typeTemporal({ env, folder }: Project, args: readonly string[]): Promise<Output> {
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = env;
  const all = ['workflow', ...args, '--address', address, '--namespace', namespace, '-o', 'json'];
  return new Promise((resolve) => {
    execFile(inject('cliPath'), all, { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function detailsOf(project: Project, id: string): Promise<Output> {
  const asked = await typeTemporal(project, ['query', '-w', id, '--type', '__temporal_workflow_metadata']);
  if (asked.code !== 0) return asked;
  const { queryResult } = JSON.parse(asked.stdout) as { readonly queryResult: readonly { currentDetails?: string }[] };
  return { ...asked, stdout: queryResult[0]?.currentDetails ?? '' };
}

type Named = { readonly name?: string };
interface HistoryEvent {
  readonly eventType: string;
  readonly activityTaskScheduledEventAttributes?: { readonly activityType: Named };
  readonly workflowExecutionSignaledEventAttributes?: { readonly signalName: string };
  readonly workflowExecutionUpdateAcceptedEventAttributes?: {
    readonly acceptedRequest: { readonly input: Named };
  };
  readonly startChildWorkflowExecutionInitiatedEventAttributes?: { readonly workflowType: Named };
}

const ENDED = /_WORKFLOW_EXECUTION_(COMPLETED|FAILED|CANCELED|TERMINATED|TIMED_OUT)$/;

/** Its activities, messages and children, each once: how often, and when, is not the same each time. */
async function namedInHistory(project: Project, id: string): Promise<string> {
  const { stdout } = await typeTemporal(project, ['show', '-w', id]);
  const { events } = JSON.parse(stdout) as { readonly events: readonly HistoryEvent[] };
  const named = events.flatMap((event) => [
    ...mark('activity', event.activityTaskScheduledEventAttributes?.activityType.name),
    ...mark('signal', event.workflowExecutionSignaledEventAttributes?.signalName),
    ...mark('update', event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest.input.name),
    ...mark('child', event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType.name),
  ]);
  const [, end = 'open'] = ENDED.exec(events.at(-1)?.eventType ?? '') ?? [];
  return [...new Set(named)].toSorted().concat(end.toLowerCase()).join(', ');
}

function mark(kind: string, name: string | undefined): readonly string[] {
  return name === undefined ? [] : [`${kind} ${name}`];
}

/** What is another one each time. Digests and references stay: the same plans and results have the same. */
function settled(text: string, { folder, taskQueue, env }: Project): string {
  const own: readonly (readonly [string, string])[] = [
    [folder, '<folder>'],
    [taskQueue, '<queue>'],
    [env['TEMPORAL_ADDRESS'] ?? '', '<address>'],
    [env['TEMPORAL_NAMESPACE'] ?? '', '<namespace>'],
    [ROOT, '<root>/'],
  ];
  return own
    .filter(([part]) => part !== 'default')
    .reduce((rest, [part, name]) => rest.replaceAll(part, name), text)
    .replaceAll(/\b\d+@[\w.-]+( planwright\/[\da-f]+)?/g, '<worker>')
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '<id>')
    .replaceAll(/\.[\da-f]{8}\.(?=(r\d+\.)?node_)/g, '.<chain>.')
    .replaceAll(/@[\da-f]{8}\b/g, '@<chain>')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?/g, '<time>')
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC|Z)?/g, '<time>')
    .replaceAll(/\b1[6-9]\d{11}\b/g, '<time>')
    .replaceAll(/\b\d\d:\d\d:\d\d(Z| UTC)?/g, '<time>')
    .replaceAll(/("(ms|seconds)": ?)\d+(\.\d+)?/g, '$1"<duration>"')
    .replaceAll(/("pids?":\s*\[?\s*)\d+/g, '$1"<pid>"')
    .replaceAll(/\b(agents|control-room|gene-strategies|market-sizing)-[\da-f]{6}\b/g, '$1-<id>')
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min|h|d)\b( \d+ (s|min|h)\b)?/g, '<duration>')
    .replaceAll(/\bplan-\d+\.json/g, 'plan.json')
    .replaceAll(/\bplan_[\da-f]{12}\b/g, 'plan_<id>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<address>')
    .replaceAll(/\/tmp\/[\w./-]+/g, '<path>');
}
