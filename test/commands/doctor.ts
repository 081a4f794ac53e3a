import { createServer as createHttps } from 'node:https';
import { expect } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { listen } from '../harness/endpoints/listen';
import { openHome } from '../harness/homes/home';
import { copyProgram } from '../harness/programs/program-copy';
import { parseDoctor } from './report-schemas';

/** A keychain that works, so that these tests are about everything else: test/system/keychain has the real ones. */
const WORKING_KEYTAR = `const items = new Map();
module.exports = {
  getPassword: async (...key) => items.get(key.join('/')) ?? null,
  setPassword: async (service, account, value) => { items.set(service + '/' + account, value); },
  deletePassword: async (...key) => items.delete(key.join('/')),
};`;
/** The program that doctor is tried in. */
export const copy = copyProgram(WORKING_KEYTAR);

const authority = makeAuthority();

/** An empty home, and doctor in it. */
export function setUp() {
  const home = openHome();
  const doctor = async (env: Record<string, string>, ...args: string[]) => {
    const result = await home.gwtoken(['doctor', '--json', ...args], { env, program: copy.program });
    const { checks, exit_code } = parseDoctor(result.stdout);
    expect(exit_code).toBe(result.code);
    const failed = checks.filter((check) => check.result === 'failed');
    // The exit code is that of the first failed check, and stderr names it.
    const [first] = failed;
    const many = failed.length > 1 ? `${failed.length} checks failed; first` : 'check failed';
    const told = `gwtoken: error: ${many}: ${first?.section}, ${first?.name}: `;
    expect(result).toMatchObject({
      code: first?.exit_code ?? 0,
      stderr: first ? expect.stringContaining(told) : '',
    });
    const find = (section: string, name: string) =>
      checks.find((check) => check.section === section && check.name === name);
    return { ...result, checks, failed, find };
  };
  return { home, doctor };
}

/** An https server with a certificate for 127.0.0.1 that answers any request with 404 and, if it is given, another Date. */
export async function startHttps(options: { days?: number; dateMs?: number } = {}) {
  const requests: { method: string | undefined; url: string | undefined; headers: object }[] = [];
  const server = createHttps(authority.issue({ until: options.days ?? 90 }), (request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    if (options.dateMs !== undefined) response.setHeader('date', new Date(options.dateMs).toUTCString());
    response.writeHead(404).end();
  });
  return { ...(await listen(server)), certificates: authority, requests };
}
