/** The bundle of the workflows that the package holds, so that no worker has to make one: small, with stack traces that name lines. */

import { relative } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/** @typedef {import('@temporalio/worker').BundleOptions} BundleOptions */

/**
 * @param {BundleOptions} sources
 * @param {string} root the paths of sources in stack traces are relative to it
 */
export async function bundleWorkflows(sources, root) {
  const logger = new DefaultLogger('WARN');
  const { code } = await bundleWorkflowCode({ ...sources, logger, webpackConfigHook: small(root) });
  const [program = '', map = ''] = code.split(MAP);
  return `${program}${MAP}${base64(linesOnly(JSON.parse(Buffer.from(map, 'base64').toString())))}`;
}

/**
 * Minified, without what no workflow uses. Modules stay modules: those that all runs share are loaded once. The map names
 * its sources and does not hold them.
 *
 * @param {string} root
 * @returns {NonNullable<BundleOptions['webpackConfigHook']>}
 */
function small(root) {
  return (config) => ({
    ...config,
    mode: 'production',
    devtool: 'inline-nosources-source-map',
    // A require that only loads a module, as those of `preloadModules`, is left out of a package without side effects.
    optimization: { ...config.optimization, minimize: true, concatenateModules: false, sideEffects: false },
    output: {
      ...config.output,
      devtoolModuleFilenameTemplate: (/** @type {{ absoluteResourcePath: string }} */ { absoluteResourcePath }) =>
        relative(root, absoluteResourcePath),
    },
  });
}

/**
 * A stack trace tells files and lines: where a source line begins is enough for it, and a fifth of the map.
 *
 * @param {{ mappings: string, names: string[] }} map
 */
function linesOnly(map) {
  const mappings = decode(map.mappings).map((segments) => {
    let last = '';
    return segments.flatMap(([column, source, line]) => {
      const now = `${source}:${line}`;
      if (now === last) return [];
      last = now;
      return [source === undefined ? [column] : [column, source, line ?? 0, 0]];
    });
  });
  return {
    ...map,
    names: [],
    mappings: encode(/** @type {import('@jridgewell/sourcemap-codec').SourceMapMappings} */ (mappings)),
  };
}

/** @param {object} map */
function base64(map) {
  return Buffer.from(JSON.stringify(map)).toString('base64');
}
