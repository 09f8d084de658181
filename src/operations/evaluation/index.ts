/** The door of `evaluation`: cases are read, planned by a model, graded and counted. */

export { readCases, type EvalCase } from './case.ts';
export { appendCase } from './case-file.ts';
export { caseOfPlan } from './case-of-plan.ts';
export { LIMITS } from './limits.ts';
export { compareReports, readReport } from './report.ts';
export { runCases } from './run-cases.ts';
