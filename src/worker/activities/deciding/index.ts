/**
 * The next step of a loop: the result of the step before is taken in, a policy decides, and the decision is compiled as
 * any plan is.
 */

export { decideStep } from './decide-step.ts';
