/** What a setting is, and the places that it comes from. */
import type { Config } from '../world/files';
import type { Env } from '../world/streams';

export interface Source {
  readonly kind: 'flag' | 'variable' | 'config' | 'default';
  /** As it is written in messages: `--region`, `GWTOKEN_REGION`, `region in ~/.config/gwtoken/config.json`. */
  readonly name: string;
}

export interface Setting<T> {
  readonly value: T;
  readonly source: Source;
}

/** Where settings come from. */
export interface Given {
  readonly flags: FlagValues;
  readonly env: Env;
  readonly config: Config;
}

/** An auth URL for one region; `template` is what was written, with `{region}` if that was in it. */
export interface AuthUrl extends Setting<string> {
  readonly template: string;
}

/**
 * The flags as given on the command line, by their long name without dashes: `{region: 'eu', sandbox: false}`.
 * A switch that was not given is absent; `--no-NAME` is false.
 */
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;
