/** The types of the table of hints. */
import type { Reason, ReasonWithFacts, Subject } from '../causes';
import type { Settings } from '../settings/table';

/** Facts for hints, beside those of the cause. */
export interface Facts extends Subject {
  readonly platform: NodeJS.Platform;
  /** Absent if the config file cannot be read, or the command line is invalid. */
  readonly settings?: Settings | undefined;
}

/** Steps, best first. One that does not apply is undefined. */
export type Steps = readonly (string | undefined)[];

/** The reason with its facts. */
type FactsOf<R, C = ReasonWithFacts> = C extends { readonly reason: infer Q }
  ? R extends Q
    ? C
    : never
  : never;

export type Row<R extends Reason> = (cause: FactsOf<R>, facts: Facts) => Steps;
/** A row for each reason. */
export type Rows = { readonly [R in Reason]: Row<R> };
