/** The regions in messages, so that a further region changes no test. */
import { REGIONS, type Region } from '../../src/client';
import { listOf } from '../../src/text';

/** `eu or us` */
export const ANY_REGION = listOf(REGIONS);

/** The hint of a refusal for a client of this region. */
export function otherRegionHint(region: Region, use = '--region'): string {
  const others = listOf(REGIONS.filter((each) => each !== region));
  return `if the client is in region ${others}, use ${use} ${others}; check the auth URL too`;
}
