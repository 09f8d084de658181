export {
  byteLength,
  cutBytes,
  cutCharacters,
  cutMiddle,
  cutStart,
  cutLines,
  briefJson,
  describeValue,
  listNames,
  quote,
  quoteForShell,
  quoteId,
  hanging,
  oneLine,
  visible,
  withoutHidden,
} from './describe-value.ts';
export { clockText, counted, durationText, grouped, tickText, jsonIn, repeatedKey, textOfBytes } from './measures.ts';
export { FAILURE_BOUNDS, messageOf, tameError } from './thrown.js';
