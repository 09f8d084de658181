export { askPassphrase, askKey } from './ask-passphrase.ts';
export {
  COLOR_MODES,
  createOutput,
  FORMATS,
  type ColorMode,
  type OutputFormat,
  type Output,
  type Style,
} from './output.ts';
