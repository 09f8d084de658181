/** Makes sure that a bundle of somebody's workflows has ours among them. */

import type { BundleOptions } from '@temporalio/worker';
import { WORKFLOW_SOURCES } from './workflow-sources.ts';

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
