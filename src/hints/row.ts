/** The types of the table of hints: a row for each reason makes steps from facts. */
import type { Reason, ReasonWithFacts, Subject } from '../causes';
import type { Settings } from '../settings/table';

/** The facts of a row, beside those of its reason. */
export interface Facts extends Subject {
  readonly platform: NodeJS.Platform;
  /** Absent if the config file cannot be read, or the command line is invalid. */
  readonly settings?: Settings | undefined;
}

/** Steps, best first. One that does not apply is undefined. */
export type Steps = readonly (string | undefined)[];

/** Returns the next steps after an error with this reason. */
export type Row<R extends Reason> = (facts: Facts & ReasonWithFacts & { readonly reason: R }) => Steps;
export type Rows = { readonly [R in Reason]: Row<R> };
