import { afterEach } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../endpoints/identity-server';
import { startScriptedEndpoint } from '../endpoints/scripted-endpoint';
import { type ClientHome, clientHome } from './client-home';

/** Homes and endpoints for the tests of a file; after each test what it opened is closed and removed. */
export function setStage() {
  const cleanups: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  return {
    open(authUrl: string, secret?: string): ClientHome {
      const client = clientHome(authUrl, secret);
      cleanups.push(client.home.remove);
      return client;
    },
    async startIdentity(): Promise<IdentityServer> {
      const clients = [{ clientId: 'client', clientSecret: 'secret+/=&' }];
      const identity = await startIdentityServer({ region: 'eu', clients });
      cleanups.push(identity.close);
      return identity;
    },
    async startScripted(...script: Parameters<typeof startScriptedEndpoint>) {
      const endpoint = await startScriptedEndpoint(...script);
      cleanups.push(endpoint.close);
      return endpoint;
    },
  };
}
