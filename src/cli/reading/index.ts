/** What a person typed, and what a file or a prompt holds, as the values that actions work with. */

export { askAnswer, askDecision } from './ask.ts';
export { readTrackFile } from './read-bytes.ts';
export { readJsonFile, readJsonObject, readJsonWord } from './read-json.ts';
export { readDocument, readSource } from './read-plan.ts';
export { readValue } from './read-value.ts';
export { openSigner, speakerOf, type KeyOptions, type SpeakerOptions } from './speaker.ts';
export { userName } from './user-name.ts';
export { yesOrNo } from './yes-no.ts';
