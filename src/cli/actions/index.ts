/** What a command does that is no operation. Loaded when the command is typed. */

export const ACTIONS = {
  demo: async () => (await import('./demo.ts')).demo,
} as const;
