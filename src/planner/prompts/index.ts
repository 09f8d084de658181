export {
  PROMPT_NAMES,
  readPrompts,
  type PromptName,
  type Prompts,
  type PromptTemplate,
  type PromptParts,
  fenced,
  fencedEnd,
} from './templates.ts';
export { agentLines, capabilityGuide } from './guides.ts';
export {
  instructionsFor,
  BASE_CHARACTERS,
  selectRequest,
  stageRequest,
  writeRequest,
  xmlRequest,
  type StageQuestion,
} from './requests.ts';
