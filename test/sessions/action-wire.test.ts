/**
 * The action asks by Node's own HTTP where the program has undici: the wire's faults of a connection and of proxies have
 * to end in the same code, the same sentence and as many requests as there. One attempt each, and none that only
 * waits: limits, and what is tried again, are in code that both share, and so are the replies and the certificates.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleaningUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { openFolder } from '../harness/homes/folder';
import { BAD_PROXIES } from '../system/wire/bad-proxies';
import { BROKEN_CONNECTIONS } from '../system/wire/broken-connections';
import { SECRET, type WireCase } from '../system/wire/scene';
import { ACTION, NO_NODE, NODE } from './action-job';
import { runAction } from './action-runner';

const authority = makeAuthority();

async function meet(each: WireCase) {
  const { authUrl, env = {}, args = [], endpoint, check } = await each.set(authority);
  const [flag, file, ...rest] = args;
  if (rest.length > 0 || (flag !== undefined && flag !== '--ca-file'))
    throw new Error(`no input for ${args}`);
  const temp = join(openFolder(), 'temp');
  mkdirSync(temp);
  const result = await runAction(
    ACTION,
    { region: 'eu', 'auth-url': authUrl, 'client-id': 'wire-client', 'client-secret': SECRET },
    {
      node: NODE!,
      temp,
      env: {
        PATH: process.env['PATH'] ?? '',
        GWTOKEN_TIMEOUT: '20s',
        GWTOKEN_RETRIES: '0',
        ...env,
        ...(file === undefined ? {} : { GWTOKEN_CA_FILE: file }),
      },
    },
  );
  return { result, requests: endpoint?.requests.length ?? 0, check };
}

/** As the action says it: an annotation's escapes, and no flags. */
function saidByAction({ source }: RegExp): RegExp {
  return new RegExp(
    source
      .replaceAll(/ ?\\\(3 attempts\\\)/g, '')
      .replaceAll('error: ', '::error title=gwtoken::')
      .replaceAll('--ca-file or GWTOKEN_CA_FILE', 'GWTOKEN_CA_FILE')
      .replaceAll(/--ca-file\b/g, 'GWTOKEN_CA_FILE')
      .replaceAll(/--timeout\b/g, 'GWTOKEN_TIMEOUT'),
  );
}

/** Node's HTTP takes an interim reply for the answer to a CONNECT: the action refuses such a proxy. */
const NOT_BORNE = /^proxy: a 10[03] before the 200$/;
const GROUPS = { BROKEN_CONNECTIONS, BAD_PROXIES };
describe.each(Object.entries(GROUPS))('%s', (_, cases) => {
  test.concurrent.for(cases.filter(({ name, waits }) => !waits && !NOT_BORNE.test(name)))(
    '$name',
    async (each, { skip }) => {
      skip(NODE === undefined, NO_NODE);
      skip(each.needs !== undefined, each.needs);
      const expected = { ...each, requests: Math.min(each.requests, 1), ...each.once };
      const { result, requests, check } = await cleaningUp(() => meet(each));
      const { code, output, outputs } = result;
      expect(code, output).toBe(expected.code);
      expect(outputs['access-token']).toBe(expected.code === 0 ? expected.token : undefined);
      expect(output.replaceAll(/^::add-mask::.*\n/gm, '')).toMatch(saidByAction(expected.says ?? /^$/));
      expect(requests).toBe(expected.requests);
      expect(output).not.toContain(SECRET);
      check?.();
    },
  );
});
