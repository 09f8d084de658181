/** Exports the encrypting failure converter under the name that the SDK loads. */

export { sealingConverter as failureConverter } from './failure-converter.js';
