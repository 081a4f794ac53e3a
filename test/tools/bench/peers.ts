import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inherited } from '../../harness/programs/program';
import { run, type Timed } from './measure';
import type { Place } from './paths';

/** Other tools that print a token they have, as far as they are on this machine: none of them asks a server. */
export function peers({ home, authUrl, caFile, keyring }: Place): { found: Timed[]; missing: string[] } {
  const env = { ...inherited(), HOME: join(home.dir, 'home'), LANG: 'C.UTF-8' };
  const file = (name: string, text: string): string => {
    const path = join(home.dir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const gh = join(home.dir, 'gh');
  mkdirSync(gh, { recursive: true });
  file('gh/hosts.yml', 'github.com:\n    user: nobody\n    oauth_token: gho_0000\n    git_protocol: https\n');
  const form = `client_id=a&client_secret=b&grant_type=client_credentials`;
  const curl = `curl -sS --cacert '${caFile}' -d '${form}' '${authUrl}/oauth2/token' | jq -r .access_token`;

  const all: Timed[] = [
    {
      name: '`gh auth token`',
      command: 'gh',
      args: ['auth', 'token'],
      env: { ...env, GH_CONFIG_DIR: gh },
      expected: /gho_0000/,
    },
    {
      name: '`aws configure export-credentials`',
      command: 'aws',
      args: ['configure', 'export-credentials'],
      env: {
        ...env,
        AWS_ACCESS_KEY_ID: 'AKIA0000',
        AWS_SECRET_ACCESS_KEY: 'none',
        AWS_EC2_METADATA_DISABLED: 'true',
      },
      expected: /AKIA0000/,
      rounds: 10,
    },
    {
      name: '`gcloud auth print-access-token`',
      command: 'gcloud',
      args: ['auth', 'print-access-token'],
      env: {
        ...env,
        CLOUDSDK_CONFIG: join(home.dir, 'gcloud'),
        CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
        CLOUDSDK_AUTH_ACCESS_TOKEN_FILE: file('gcloud-token', 'ya29.none'),
      },
      expected: /ya29\.none/,
      rounds: 10,
    },
    {
      name: '`az version` (its start alone)',
      command: 'az',
      args: ['version'],
      env: { ...env, AZURE_CONFIG_DIR: join(home.dir, 'azure'), AZURE_CORE_COLLECT_TELEMETRY: 'no' },
      expected: /azure-cli/,
      rounds: 10,
    },
    ...(keyring
      ? [
          {
            name: '`secret-tool lookup`',
            command: 'secret-tool',
            args: ['lookup', 'service', 'gwtoken', 'account', 'default:production:eu'],
            env: { ...env, ...keyring },
            expected: /client_id/,
          },
        ]
      : []),
    {
      name: '`curl` and `jq`, a request each time',
      command: 'sh',
      args: ['-c', curl],
      env,
      expected: /^token-/,
    },
  ];
  const found: Timed[] = [];
  const missing: string[] = [];
  for (const peer of all) {
    try {
      run(peer);
      found.push(peer);
    } catch {
      missing.push(peer.name);
    }
  }
  return { found, missing };
}
