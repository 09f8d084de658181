/** Makes sure that a bundle of somebody's workflows has ours among them. */

import type { BundleOptions, ReplayWorkerOptions, WorkerOptions as SdkOptions } from '@temporalio/worker';
import { WORKFLOW_SOURCES, DATA_CONVERTER, ownWorkflows, SEALING_CONVERTER } from './workflow-sources.ts';
import { readFileSync } from 'node:fs';
import { given as known, PLAN_WORKFLOW } from '../protocol/index.ts';
import { lenientCodec, sealingMark, type Keyring } from '../protocol/encryption/index.ts';

type Hook = NonNullable<BundleOptions['webpackConfigHook']>;
type Configuration = ReturnType<Hook>;
type Plugin = Extract<NonNullable<Configuration['plugins']>[number], (...given: never[]) => unknown>;

/** Without them every run would wait for ever, and only the worker's log would say why: so the bundling fails. */
export function withOwnWorkflows(bundling: BundleOptions): BundleOptions {
  const { workflowsPath, webpackConfigHook = (config) => config } = bundling;
  const check: Plugin = ({ hooks }) => {
    hooks.afterCompile.tap('planwright', ({ modules, errors }) => {
      // A file that could not be read has no imports yet: the bundler tells what is wrong with it.
      if (errors.length > 0) return;
      for (const module of modules) {
        if ('resource' in module && module.resource === WORKFLOW_SOURCES.workflowsPath) return;
      }
      throw new Error(`planwrightPlugin: add to ${workflowsPath}: export * from 'planwright/workflows';`);
    });
  };
  return {
    ...bundling,
    webpackConfigHook: (config) => {
      const hooked = webpackConfigHook(config);
      return { ...hooked, plugins: [...(hooked.plugins ?? []), check] };
    },
  };
}

/**
 * The SDK takes a step of a workflow that lasts longer for an endless loop, and Node then ends the whole process
 * ("async hook stack has become corrupted") with all that it has under way. A run has no such loop; its longest
 * steps, of plans of tens of thousands of nodes, take a second, and on a machine that stands still any step takes as
 * long as that. The server waits 10 s for a workflow task: a step between the two is made again by the next task, and the
 * run goes on once one takes less.
 * @bound {ms} one step of a workflow, in its worker
 * @beyond it counts as endless, and Node ends the worker's process
 */
const STEP = '1 minute';

/** Its runs could not go on in a new history: `workflows/continue-as-new.ts` takes a deployment for a versioned one. */
export const UNVERSIONED =
  'planwrightPlugin: the worker names a deployment and is not versioned; set useWorkerVersioning: true and a ' +
  'defaultVersioningBehavior, or name the build as buildId';

/** A worker without workflows gets ours alone. */
export function withWorkflows<Options extends SdkOptions | ReplayWorkerOptions>(
  worker: Options,
  keyring: Keyring | undefined,
): Options {
  const { workflowsPath, workflowBundle: bundle, dataConverter = {} } = worker;
  if (bundle !== undefined) checkBundle(bundle);
  const theirs = dataConverter.payloadCodecs ?? [];
  // What is encrypted last is decrypted first. Without keys it only words what is left, behind codecs that may know it.
  const codecs = keyring === undefined ? [lenientCodec(), ...theirs] : [...theirs, lenientCodec(keyring)];
  const own = workflowsPath === undefined && bundle === undefined ? ownWorkflows() : known({ workflowBundle: bundle });
  return {
    isolateExecutionTimeout: STEP,
    ...worker,
    ...own,
    dataConverter: {
      ...dataConverter,
      ...converters(dataConverter, 'the worker', keyring === undefined ? DATA_CONVERTER : SEALING_CONVERTER),
      payloadCodecs: [sealingMark(keyring !== undefined), ...codecs],
    },
  };
}

type Converters = Pick<BundleOptions, 'payloadConverterPath' | 'failureConverterPath'>;

/** With others a message that cannot be decoded would stop a run for good. */
export function converters(given: Converters, whose: string, ours: Required<Converters>): Required<Converters> {
  for (const name of ['payloadConverterPath', 'failureConverterPath'] as const) {
    if (given[name] === undefined || given[name] === DATA_CONVERTER[name] || given[name] === ours[name]) continue;
    throw new TypeError(
      `planwrightPlugin: ${whose} has a ${name} of its own, ${given[name]}; runs need Planwright's. Take it out (payload ` +
        'codecs may stay), or carry runs out by a worker of their own, on a task queue of their own (createWorker)',
    );
  }
  return ours;
}

/** A text of `workflows/sdk/undecodable.ts`, which is in a bundle only as an interceptor. */
const INTERCEPTED = 'undecrypted ';

function checkBundle(bundle: NonNullable<SdkOptions['workflowBundle']>): void {
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
  if (code.includes(PLAN_WORKFLOW) && code.includes(INTERCEPTED)) return;
  throw new TypeError(
    "planwrightPlugin: the workflow bundle was made without it; its workflows say export * from 'planwright/workflows', " +
      'and bundleWorkflowCode is given plugins: [planwrightPlugin(...)]',
  );
}
