/**
 * The action asks by Node's own HTTP where the program has undici: the wire's faults of a connection and of proxies have
 * to end in the same code, the same sentence and as many requests as there. One attempt each, and none that only
 * waits: limits, and what is tried again, are in code that both share, and so are the replies and most of TLS.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleaningUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { startSilentDns } from '../harness/endpoints/silent-dns';
import { openFolder } from '../harness/homes/folder';
import { BAD_PROXIES } from '../system/wire/bad-proxies';
import { BAD_TLS } from '../system/wire/bad-tls';
import { BROKEN_CONNECTIONS } from '../system/wire/broken-connections';
import { SECRET, type WireCase, withOtherHost } from '../system/wire/scene';
import { ACTION, NODE } from './action-job';
import { runAction } from './action-runner';

const authority = makeAuthority();

async function meet(each: WireCase) {
  const scene = await each.set(authority);
  const { authUrl, env = {}, args = [], endpoint, check } = scene;
  const [flag, file, ...rest] = args;
  if (rest.length > 0 || (flag !== undefined && flag !== '--ca-file'))
    throw new Error(`no input for ${args}`);
  const temp = join(openFolder(), 'temp');
  mkdirSync(temp);
  const result = await runAction(
    ACTION,
    { region: 'eu', 'auth-url': authUrl, 'client-id': 'wire-client', 'client-secret': SECRET },
    {
      node: NODE,
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
  return { result, requests: endpoint?.requests.length ?? 0, misled: withOtherHost(scene), check };
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

/** What is warned of beside a token, an alert in place of the reply, and the CAs as this later Node has them. */
const OWN_TLS = BAD_TLS.filter(
  ({ name, code, says }) =>
    (code === 0 && says !== undefined) ||
    name === 'the endpoint requires a client certificate' ||
    name.startsWith('NODE_EXTRA_CA_CERTS beside'),
);

const GROUPS = { BROKEN_CONNECTIONS, BAD_PROXIES, OWN_TLS };
describe.each(Object.entries(GROUPS))('%s', (_, cases) => {
  test.concurrent.for(cases.filter(({ waits }) => !waits))('$name', async (each, { skip }) => {
    skip(each.needs !== undefined, each.needs);
    const expected = { ...each, requests: Math.min(each.requests, 1), ...each.once };
    const { result, requests, misled, check } = await cleaningUp(() => meet(each));
    const { code, output, outputs } = result;
    expect(code, output).toBe(expected.code);
    expect(outputs['access-token']).toBe(expected.code === 0 ? expected.token : undefined);
    expect(output.replaceAll(/^::add-mask::.*\n/gm, '')).toMatch(saidByAction(expected.says ?? /^$/));
    expect(requests).toBe(expected.requests);
    expect(misled).toEqual([]);
    expect(output).not.toContain(SECRET);
    check?.();
  });
});

/**
 * A Node for which the name server is one that takes every question and never answers, where root allows that. Started
 * by bash, since dash passes no variable on whose name has a hyphen.
 */
async function withSilentDns(): Promise<string | undefined> {
  try {
    execFileSync('unshare', ['-m', 'mount', '--bind', '/etc/hosts', '/etc/hosts'], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  const dns = await startSilentDns();
  const dir = openFolder();
  const [resolv, node] = [join(dir, 'resolv.conf'), join(dir, 'node')];
  // The system goes on for 150 s, and would keep the program: much longer than a test may take.
  writeFileSync(resolv, `nameserver ${dns}\noptions timeout:30 attempts:5\n`);
  const inside = `mount --bind ${resolv} /etc/resolv.conf; PATH=/nowhere exec ${NODE} "$@"`;
  writeFileSync(node, `#!/bin/bash\nPATH=/usr/bin:/bin\nexec unshare -m bash -c '${inside}' sh "$@"\n`, {
    mode: 0o755,
  });
  return node;
}

test('silent DNS ends with the time limit, where there is no getent as on macOS and Windows', async ({
  skip,
}) => {
  const node = await withSilentDns();
  skip(node === undefined, 'needs root on Linux: a mount namespace');
  const temp = join(openFolder(), 'temp');
  mkdirSync(temp);
  const { code, output } = await runAction(
    ACTION,
    { region: 'eu', 'auth-url': 'https://name.test', 'client-id': 'wire-client', 'client-secret': SECRET },
    { node: node!, temp, env: { GWTOKEN_TIMEOUT: '1s', GWTOKEN_RETRIES: '0' } },
  );
  expect(code, output).toBe(6);
  expect(output).toMatch(/did not answer within 1 s: DNS lookup of name\.test timed out/);
});
