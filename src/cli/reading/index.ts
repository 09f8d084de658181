/** What a person typed, and what a file or a prompt holds, as the values that actions work with. */

export { askAnswer, askDecision } from './ask.ts';
export { compileFile, type CompiledFile } from './compile-file.ts';
export { decisionOf, type DecisionOptions } from './decision.ts';
export { nameOf, readBytes } from './read-bytes.ts';
export { readJsonObject, readJsonWord } from './read-json.ts';
export { readDocument } from './read-plan.ts';
export { readValue } from './read-value.ts';
export { runOptionsOf, type RunFlags } from './run-options.ts';
export { openSigner, speakerOf, type KeyOptions, type SpeakerOptions } from './speaker.ts';
export { userName } from './user-name.ts';
export { yesOrNo } from './yes-no.ts';
