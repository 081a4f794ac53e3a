import { startTokenEndpoint, type TokenEndpoint } from '../endpoints/token-endpoint';
import { inVariables } from './client';
import { type Home, openHome } from './home';

export interface ClientHome extends Home {
  readonly endpoint: TokenEndpoint;
}

/** Starts an endpoint, and opens a home with a client of it in variables. */
export async function startClientHome(
  answer?: Parameters<typeof startTokenEndpoint>[0],
): Promise<ClientHome> {
  const endpoint = await startTokenEndpoint(answer);
  return { ...openHome(inVariables(endpoint.authUrl)), endpoint };
}
