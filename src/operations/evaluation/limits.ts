/** The most that an evaluation takes at once: each case and each repeat is paid for. */

export const LIMITS = {
  /** In one file. */
  cases: 500,
  repeats: 100,
  /** Of a file of cases, and of a report. */
  bytes: 4_194_304,
  /** Questions that a case answers. */
  answers: 20,
  /** Of a loop, and of one whose case says nothing. */
  rounds: 100,
  usualRounds: 20,
  /** Characters of the name of a case. */
  name: 80,
};
