import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inVariables } from '../../harness/homes/client';
import { inherited, startProgram, type Words } from '../../harness/programs/program';
import type { Endpoint } from './endpoint';
import { CLIENT, type Place } from './paths';

export interface Crowd {
  readonly count: number;
  readonly requests: number;
  readonly failures: number;
  /** How many different tokens they printed. */
  readonly tokens: number;
  readonly seconds: number;
}

/** So many calls at once with an empty cache. */
export async function crowd(count: number, words: Words, place: Place, endpoint: Endpoint): Promise<Crowd> {
  const cache = join(place.home.dir, 'cache-crowd');
  rmSync(cache, { recursive: true, force: true });
  const env = {
    ...inherited(),
    ...place.home.env,
    XDG_CACHE_HOME: cache,
    ...inVariables(place.authUrl, CLIENT),
    GWTOKEN_CA_FILE: place.caFile,
  };
  const before = await endpoint.posts();
  const started = performance.now();
  const programs = Array.from({ length: count }, () =>
    startProgram(['get'], { env, program: words, timeoutMs: 120_000 }),
  );
  const ended = await Promise.all(programs.map(({ result }) => result));
  return {
    count,
    requests: (await endpoint.posts()) - before,
    failures: ended.filter(({ code, stderr }) => code !== 0 || stderr !== '').length,
    tokens: new Set(ended.map(({ stdout }) => stdout)).size,
    seconds: (performance.now() - started) / 1000,
  };
}
