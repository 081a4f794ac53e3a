/** A token and a refusal from oidc-provider, a certified OAuth server. */
import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { onCleanup } from '../harness/clean-up';
import { CLIENT } from '../harness/endpoints/identity-server';
import { listen } from '../harness/endpoints/listen';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';

async function startProvider(): Promise<string> {
  // oidc-provider prints advice for operators, partly while it is imported.
  const spies = [vi.spyOn(console, 'info'), vi.spyOn(console, 'warn')];
  for (const spy of spies) spy.mockImplementation(() => {});
  onCleanup(() => spies.map((spy) => spy.mockRestore()));
  const { default: Provider } = await import('oidc-provider');
  const server = createServer();
  const { url } = await listen(server);
  const client = {
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
  };
  const provider = new Provider(url, {
    clients: [client],
    clientAuthMethods: ['client_secret_post'],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    routes: { token: '/oauth2/token' },
    ttl: { ClientCredentials: () => 90 },
  });
  server.on('request', provider.callback());
  return url;
}

test('get gets a token and a refusal from oidc-provider', async () => {
  const home = openHome(inVariables(await startProvider()));
  const { code, stdout, stderr } = await home.gwtoken(['get', '--format', 'json', '--min-ttl', '1']);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    access_token: expect.stringMatching(/^[\w-]{20,}$/),
    token_type: 'Bearer',
    expires_in: expect.toSatisfy((seconds: number) => seconds > 60 && seconds <= 90),
    scope: '',
  });
  const env = { GWTOKEN_CLIENT_SECRET: 'another' };
  const refused = await home.gwtoken(['get', '--fresh'], { env });
  expect([refused.code, refused.stdout]).toEqual([3, '']);
  expect(refused.stderr).toContain(
    '/oauth2/token rejected the credentials (HTTP 401, invalid_client: client authentication failed)',
  );
});
