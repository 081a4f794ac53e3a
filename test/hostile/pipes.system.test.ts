/** Nothing that gwtoken opens by name may keep it waiting: what lies there may be a pipe that nobody writes to. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileReader } from '../../src/system/files/read-file';
import { onCleanup } from '../harness/clean-up';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { GWTOKEN_SH, runCommand } from '../harness/programs/program';

describe.skipIf(process.platform === 'win32')('a pipe that nobody writes to', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  let pipe: string;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint();
    home = openHome(inVariables(endpoint.authUrl));
    pipe = join(home.dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
  });
  /** Far below any limit of a request's; the rest is for a busy machine. */
  const timeoutMs = 15_000;

  test.each([['get'], ['get', '--no-cache'], ['exec', '--', 'true']])(
    'as --ca-file is refused: %s %s',
    async (command, ...rest) => {
      const result = await home.gwtoken([command, '--ca-file', pipe, ...rest], { timeoutMs });
      expectRefusal(result, command === 'exec' ? 125 : 2);
      expect(result.stderr).toContain(`the CA file ${pipe} cannot be read (it is a pipe)`);
    },
  );

  test.each(['GWTOKEN_CA_FILE', 'config'])('as the CA file of %s is refused', async (place) => {
    if (place === 'config') home.configure({ 'ca-file': pipe });
    expectRefusal(
      await home.gwtoken(['get'], { env: place === 'config' ? {} : { [place]: pipe }, timeoutMs }),
      2,
    );
  });

  test('as SSL_CERT_FILE is passed over', async () => {
    const result = await home.gwtoken(['get'], { env: { SSL_CERT_FILE: pipe }, timeoutMs });
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(['GWTOKEN_CLIENT_SECRET_FILE', 'GWTOKEN_CLIENT_SECRET_FILE_EU'])(
    'as %s is empty',
    async (name) => {
      const id = name.endsWith('_EU') ? { GWTOKEN_CLIENT_ID_EU: 'client' } : { GWTOKEN_CLIENT_SECRET: '' };
      const result = await home.gwtoken(['get'], { env: { ...id, [name]: pipe }, timeoutMs });
      expectRefusal(result, 2);
      expect(result.stderr).toContain(`the client secret from ${pipe} (${name}) is empty`);
    },
  );

  test.each(['GITHUB_ENV', 'GITHUB_OUTPUT'])('as %s is refused', async (name) => {
    const format = name.toLowerCase().replace('_', '-');
    const result = await home.gwtoken(['env', '--format', format], { env: { [name]: pipe }, timeoutMs });
    expectRefusal(result, 2);
  });

  test('that somebody holds open and says nothing into is given up', () => {
    const writer = openSync(pipe, 'r+');
    onCleanup(() => closeSync(writer));
    const read = fileReader(300);
    const before = process.cpuUsage();
    for (const _ of ['the quick way', 'the CLI']) {
      expect(() => read(pipe, 100)).toThrow('nothing was written to it for 0.3 s');
      // The CLI would find it if it waited once more.
      writeSync(writer, 'late');
    }
    // A person may take a minute to unlock what writes to it: no CPU is spent on that.
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(150_000);
  });

  test('whose writer is still starting is waited for', () => {
    const read = fileReader();
    let found = '';
    // On a busy machine a shell may take longer to start than it is waited for.
    for (let tries = 0; found === '' && tries < 5; tries++) {
      const late = `${pipe}-${tries}`;
      execFileSync('mkfifo', [late]);
      const writer = spawn('sh', ['-c', `sleep 0.1; printf late > '${late}'`]);
      onCleanup(() => writer.kill());
      found = Buffer.from(read(late, 100)).toString();
    }
    expect(found).toBe('late');
  });

  test('a secret that takes its time arrives, from a substitution of the shell and from a pipe with a name', async () => {
    const env = { ...home.env, GWTOKEN_CLIENT_SECRET: '' };
    const script = `GWTOKEN_CLIENT_SECRET_FILE=<(sleep 1.5; printf 'slow\\n') ${GWTOKEN_SH} get`;
    expect(await runCommand(['bash', '-c', script], { env })).toMatchObject({ code: 0, stdout: 'token-1\n' });
    expect(endpoint.posts[0]?.get('client_secret')).toBe('slow');

    // It has a writer from the start, or the shell would have to be there within a second of gwtoken's.
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const first = openSync(pipe, constants.O_WRONLY);
    closeSync(reader);
    const writer = spawn('sh', ['-c', `exec 3>'${pipe}'; sleep 1.5; printf 'named\\n' >&3`]);
    writer.once('exit', () => closeSync(first));
    onCleanup(() => writer.kill());
    expect(await home.gwtoken(['get'], { env: { ...env, GWTOKEN_CLIENT_SECRET_FILE: pipe } })).toMatchObject({
      code: 0,
      stdout: 'token-2\n',
    });
    expect(endpoint.posts[1]?.get('client_secret')).toBe('named');
  });
});
