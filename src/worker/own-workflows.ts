import type { BundleOptions, ReplayWorkerOptions, WorkerOptions as SdkOptions } from '@temporalio/worker';
import { WORKFLOW_SOURCES, DATA_CONVERTER, ownWorkflows, SEALING_CONVERTER } from './workflow-sources.ts';
import { readFileSync } from 'node:fs';
import { given as known, PLAN_WORKFLOW } from '../protocol/index.ts';
import { lenientCodec, sealingMark, type Keyring } from '../protocol/encryption/index.ts';

type Hook = NonNullable<BundleOptions['webpackConfigHook']>;
type Configuration = ReturnType<Hook>;
type Plugin = Extract<NonNullable<Configuration['plugins']>[number], (...given: never[]) => unknown>;

/** Fails the bundling if Planwright's workflows are missing, since every run would then wait forever. */
export function withOwnWorkflows(bundling: BundleOptions): BundleOptions {
  const { workflowsPath, webpackConfigHook = (config) => config } = bundling;
  const check: Plugin = ({ hooks }) => {
    hooks.afterCompile.tap('planwright', ({ modules, errors }) => {
      // A file that could not be read has no imports. The bundler reports its error.
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
 * If a step of a workflow takes longer, the SDK assumes an endless loop and Node ends the process. The longest steps of
 * runs take a second, but longer on a stalled machine.
 */
const STEP = '1 minute';

/** A deployment must be versioned, since `workflows/continue-as-new.ts` relies on that to continue a run. */
export const UNVERSIONED =
  'planwrightPlugin: the worker names a deployment and is not versioned; set useWorkerVersioning: true and a ' +
  'defaultVersioningBehavior, or name the build as buildId';

/** Adds workflows and data converters to a worker's options. Without workflows, Planwright's are used. */
export function withWorkflows<Options extends SdkOptions | ReplayWorkerOptions>(
  worker: Options,
  keyring: Keyring | undefined,
): Options {
  const { workflowsPath, workflowBundle: bundle, dataConverter = {} } = worker;
  if (bundle !== undefined) checkBundle(bundle);
  const theirs = dataConverter.payloadCodecs ?? [];
  // The codec that encrypts last decrypts first.
  // This codec decrypts nothing. It explains why the worker's own codecs could not decrypt something.
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

/** Checks a worker's converters. With others, a message that cannot be decoded would block a run forever. */
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

/** A text in `workflows/sdk/undecodable.ts`. A bundle contains it only if the interceptors are bundled. */
const INTERCEPTED = 'undecrypted ';

function checkBundle(bundle: NonNullable<SdkOptions['workflowBundle']>): void {
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
  if (code.includes(PLAN_WORKFLOW) && code.includes(INTERCEPTED)) return;
  throw new TypeError(
    "planwrightPlugin: the workflow bundle was made without it; its workflows say export * from 'planwright/workflows', " +
      'and bundleWorkflowCode is given plugins: [planwrightPlugin(...)]',
  );
}
