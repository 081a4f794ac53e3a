/** The topic ci: its examples are complete, pinned and run by their own interpreters. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { startReleasePage } from '../harness/endpoints/release-page';
import { openFolder } from '../harness/homes/folder';
import { openHome } from '../harness/homes/home';
import { linkProgram, runCommand } from '../harness/programs/program';
import { BLOCKS, blocksUnder } from './topic-blocks';

describe('the topic ci', () => {
  test('has YAML that parses', () => {
    const yaml = BLOCKS.filter(({ language }) => language === 'yaml');
    expect(yaml).toHaveLength(5);
    for (const { code, heading } of yaml) expect(parse(code), heading).toBeTypeOf('object');
  });

  test.each([true, false])('installs a release with its checksum only: %s', async (isRightSum) => {
    const home = openHome();
    linkProgram(join(home.dir, 'release'));
    const archive = join(home.dir, 'gwtoken.tar.gz');
    execFileSync('tar', ['-czf', archive, '-C', join(home.dir, 'release'), 'gwtoken']);
    const page = await startReleasePage(archive);
    const [install = ''] = BLOCKS.filter(({ language }) => language === 'sh').map(({ code }) => code);
    const { code } = await runCommand(['sh', '-ec', `${install}./gwtoken --version`], {
      env: { ...page, ...(isRightSum ? {} : { SHA256: '0'.repeat(64) }) },
      cwd: openFolder(),
    });
    expect(code).toBe(isRightSum ? 0 : 1);
  });

  const statements = blocksUnder('Credentials from a command').flatMap(
    ({ code }) => code.match(/^gwtoken config set credential-command[^']*'[^']*'$/gm) ?? [],
  );
  const programOf = (statement: string) => /'(\w+) /.exec(statement)?.[1] ?? '';
  const arguments_ = {
    op: 'read op://CI/gwtoken-us/password',
    vault: 'kv get -format=json -field=data secret/gwtoken/us',
    aws: 'secretsmanager get-secret-value --output text --query SecretString --secret-id gwtoken/acme/us',
    pass: 'show gwtoken/acme-us',
    age: '--decrypt -i HOME/.ssh/id_ed25519 HOME/gwtoken-us.age',
  };

  test('shows a command for each of five vaults', () => {
    expect(statements.map(programOf)).toEqual(Object.keys(arguments_));
  });

  test.for(Object.entries(arguments_))('%s gets: %s', async ([vault, args], { needs }) => {
    needs('posix');
    const identity = await startIdentityServer({
      clients: [{ clientId: 'of-acme', clientSecret: 'kept in a vault' }],
    });
    const home = openHome();
    const bin = join(home.dir, 'bin');
    const PATH = linkProgram(bin);
    // The stand-in for the vault's program tells what it was asked, as a person at the vault would see it.
    const answer = '{"client_id":"of-acme","client_secret":"kept in a vault"}';
    const script = `#!/bin/sh\nprintf '%s ' "$@" >&2\nprintf '%s\\n' '${answer}'\n`;
    writeFileSync(join(bin, vault), script, { mode: 0o755 });
    const env = { ...home.env, PATH };
    execFileSync('/bin/sh', ['-e', '-c', statements.find((each) => programOf(each) === vault)!], { env });

    // What a command prints without an address goes to the config file's alone.
    await home.gwtoken(['config', 'set', 'auth-url', identity.authUrl]);
    const client = ['--profile', 'acme', '--region', 'us'];
    const got = await home.gwtoken(['get', ...client], { env });
    expect(got).toMatchObject({
      code: 0,
      stdout: `${identity.issued[0]}\n`,
      stderr: `${args.replaceAll('HOME', home.env['HOME']!)} `,
    });
  });
});
