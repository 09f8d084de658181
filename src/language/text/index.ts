/** The door of `text`: everything that prepares text for people, for terminals and for other processes. */

export { byteLength, cutBytes, cutCharacters, cutMiddle, cutStart } from './cut.ts';
export { cutLines } from './cut-lines.ts';
export { describeValue, listNames, quote } from './describe-value.ts';
export { clockText, counted, durationText, grouped, tickText } from './measures.ts';
export { quoteForShell } from './quote-for-shell.ts';
export { FAILURE_BOUNDS, messageOf, tameError } from './thrown.js';
export { table } from './table.ts';
export { oneLine, visible, withoutHidden } from './visible.ts';
export { isWellFormed, wellFormed } from './well-formed.js';
export { wrap, wrapMessage, wrapNote } from './wrap.ts';
