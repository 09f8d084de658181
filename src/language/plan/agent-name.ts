/** The names of agents, which plans write in any case. */

/**
 * The form that is equal for two spellings of one agent (Calute: XML plans): without space around it, in lower case.
 *
 * @example foldAgentName(' Researcher'); // 'researcher'
 */
export function foldAgentName(name: string): string {
  return name.trim().toLowerCase();
}
