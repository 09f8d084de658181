/** The door of `plan/syntax`: a document as text: where it stands, what it says as JSON, and what had to be mended. */

export { documentText } from './read-document.ts';
export { readJson } from './read-json.ts';
export { readSyntax } from './read-syntax.ts';
