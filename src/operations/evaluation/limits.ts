/** The most that an evaluation takes at once: each case and each repeat is paid for. */

export const LIMITS = {
  /**
   * @bound cases in a file
   * @beyond the file is refused: split it
   */
  cases: 500,
  /**
   * @bound plans made of a case
   * @beyond refused
   */
  repeats: 100,
  /**
   * @bound a file of cases, or a report
   * @beyond refused: split it
   */
  bytes: 4_194_304,
  /**
   * @bound answers of a case
   * @beyond the case is refused with its path
   */
  answers: 20,
  /**
   * Of a loop, and of one whose case says nothing.
   * @bound rounds of a loop in a case
   * @beyond the case is refused with its path
   */
  rounds: 100,
  /**
   * @bound rounds of a loop whose case says none
   * @beyond the loop has no end: a `fallback`
   */
  usualRounds: 20,
  /**
   * @bound {characters} the name of a case
   * @beyond refused with its path; of a case out of a run cut
   */
  name: 80,
};
