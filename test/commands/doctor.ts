import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, expect, onTestFinished } from 'vitest';
import { makeCertificates } from '../harness/endpoints/certificates';
import { freshHome, runProgram } from '../harness/programs/program';
import { copyProgram } from '../harness/programs/program-copy';
import { parseDoctor } from './report-schemas';

/** A keychain that works, so that these tests are about everything else: test/keychain-states has the real ones. */
const WORKING_KEYTAR = `const items = new Map();
module.exports = {
  getPassword: async (...key) => items.get(key.join('/')) ?? null,
  setPassword: async (service, account, value) => { items.set(service + '/' + account, value); },
  deletePassword: async (...key) => items.delete(key.join('/')),
};`;
/** The program that doctor is tried in. */
export const copy = copyProgram(WORKING_KEYTAR);
afterAll(copy.remove);

/** An empty home, and doctor in it; both end with the test. */
export function setUp() {
  const home = freshHome();
  onTestFinished(home.remove);
  const doctor = async (env: Record<string, string>, ...args: string[]) => {
    const options = { env: { ...home.env, ...env }, program: copy.program };
    const result = await runProgram(['doctor', '--json', ...args], options);
    const { checks, exit_code } = parseDoctor(result.stdout);
    expect(exit_code).toBe(result.code);
    const failed = checks.filter((check) => check.result === 'failed');
    // The exit code is that of the first failed check, and stderr names it.
    expect(result.code).toBe(failed[0]?.exit_code ?? 0);
    if (failed[0])
      expect(result.stderr).toContain(
        `gwtoken: error: check failed: ${failed[0].section}, ${failed[0].name}: `,
      );
    else expect(result.stderr).toBe('');
    const find = (section: string, name: string) =>
      checks.find((check) => check.section === section && check.name === name);
    return { ...result, checks, failed, find };
  };
  return { home, doctor };
}

/** Resolves with its port; the server is closed with the test. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

/** An https server with a certificate for 127.0.0.1 that answers any request with 404 and, if it is given, another Date. */
export async function startHttps(options: { days?: number; dateMs?: number } = {}) {
  const certificates = makeCertificates({ days: options.days ?? 90 });
  onTestFinished(certificates.remove);
  const requests: { method: string | undefined; url: string | undefined; headers: object }[] = [];
  const server = createHttps({ key: certificates.key, cert: certificates.cert }, (request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    if (options.dateMs !== undefined) response.setHeader('date', new Date(options.dateMs).toUTCString());
    response.writeHead(404).end();
  });
  const port = await listen(server);
  return { url: `https://127.0.0.1:${port}`, port, certificates, requests };
}
