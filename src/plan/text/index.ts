/** Prepares text for people, terminals and other processes. */

export { byteLength, cutBytes, cutCharacters, cutMiddle, cutStart } from './cut.ts';
export { cutLines } from './cut.ts';
export { jsonIn, repeatedKey, textOfBytes } from './decode.ts';
export {
  briefJson,
  describeValue,
  listNames,
  quote,
  quoteForShell,
  quoteId,
  oneLine,
  visible,
  withoutHidden,
} from './describe-value.ts';
export { clockText, counted, durationText, grouped, tickText } from './measures.ts';
export { FAILURE_BOUNDS, messageOf, tameError } from './thrown.js';
