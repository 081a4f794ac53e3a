/** A command that gwtoken may not signal, because it runs as another user, as under sudo. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';
import { until } from '../../harness/programs/processes';

test('exec waits for a command that it may not signal', async ({ needs }) => {
  needs('root');
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  chmodSync(home.dir, 0o777);
  const [up, end] = [join(home.dir, 'up'), join(home.dir, 'end')];
  const script = `: >'${up}'; while [ -e '${up}' ] && [ ! -e '${end}' ]; do sleep 0.05; done; exit 5`;
  // Root without this capability can signal only its own processes.
  const wrapper = ['setpriv', '--bounding-set=-kill', '--inh-caps=-kill', '--'];
  const command = ['setpriv', '--reuid=65534', '--clear-groups', 'sh', '-c', script];
  const running = home.start(['exec', '--', ...command], { wrapper });
  await until('the command', () => existsSync(up));
  running.kill('SIGTERM');
  await new Promise((done) => setTimeout(done, 300));
  writeFileSync(end, '');
  expect(await running.result).toMatchObject({ code: 5, stderr: '' });
});
