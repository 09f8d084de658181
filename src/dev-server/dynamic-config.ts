/**
 * Server settings that every Temporal dev server for plans needs. With the server's own default of 20 polls a second,
 * each sequential hop of a run waits about 50 ms before anything happens.
 */
export const DYNAMIC_CONFIG: { readonly [key: string]: number } = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
};
