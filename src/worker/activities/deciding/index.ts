/** The next step of a loop: what happened is taken in, a policy decides, and what it decides is compiled as any plan is. */

export { decideStep } from './decide-step.ts';
