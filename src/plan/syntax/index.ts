/**
 * The door of `plan/syntax`: a document as text: where it stands, its value as JSON, and the parts that had to be
 * mended.
 */

export { documentText } from './read-document.ts';
export { readJson } from './read-json.ts';
export { readSyntax } from './read-syntax.ts';
export { closingOf, exactJson, jsonFlaw } from './json-text.ts';
export { readYaml } from './read-yaml.ts';
