export { documentText } from './read-document.ts';
export { readJson } from './read-document.ts';
export { readSyntax } from './read-syntax.ts';
export { closingOf, exactJson, jsonFlaw } from './json-text.ts';
export { readYaml, yamlIn } from './read-yaml.ts';
