/** What login is given by flags, variables and the config file, and what of it is still missing. */

import { clientFlags, type Environment, type Region } from '../../client';
import { clientIdProblem } from '../../credentials/credentials';
import { usage } from '../../errors';
import { resolveAuthUrl, resolveEnvironment, resolveProfile, resolveRegion } from '../../settings/resolve';
import type { Given } from '../../settings/table';
import { quoted, shellWord } from '../../text';
import type { World } from '../../world';

/** What is not given is undefined, and asked for. */
export interface Known {
  readonly profile: string;
  readonly environment: Environment | undefined;
  readonly region: Region | undefined;
  /** The configured one: the answer that is suggested. */
  readonly usualRegion: Region | undefined;
  readonly clientId: string | undefined;
  readonly secretPiped: boolean;
  readonly verify: boolean;
}

/**
 * Checks what is given before anything is asked, read or done. If nobody can be asked, all that is missing is named at
 * once.
 *
 * @throws GwtokenError `usage`
 */
export function checkGiven(given: Given, world: Pick<World, 'stdin' | 'terminal'>): Known {
  const { flags } = given;
  const noPrompt = world.terminal.noPrompt();
  const canAsk = noPrompt === undefined;
  const profile = resolveProfile(given).value;
  const { value: environment, source } = resolveEnvironment(given, profile);
  const usual = resolveRegion(given, profile);
  const region = canAsk && usual?.source.kind === 'config' ? undefined : usual?.value;
  // Which region's auth URL has to be right is not known before the region is.
  const authUrl =
    region === undefined && canAsk
      ? undefined
      : resolveAuthUrl(given, { profile, environment, region: region ?? 'eu' });
  const clientId = checkClientId(flags['client-id']);
  const secretPiped = flags['secret-stdin'] === true;
  if (secretPiped && world.stdin.isTTY()) {
    throw usage(
      '--secret-stdin needs the client secret on stdin, but stdin is a terminal',
      'pipe the secret in, or omit --secret-stdin to be prompted',
    );
  }
  const verify = flags['verify'] !== false;
  const known = { profile, region, usualRegion: usual?.value, clientId, secretPiped, verify };
  // Who names the region names the sandbox too.
  const isOpen = source.kind === 'default' && usual?.source.kind !== 'flag';
  if (canAsk) return { ...known, environment: isOpen ? undefined : environment };

  const needed = [
    ['--region', region],
    ['--auth-url', authUrl],
    ['--client-id', clientId],
    ['--secret-stdin', secretPiped || undefined],
  ] as const;
  const missing = needed.flatMap(([flag, value]) => (value === undefined ? [flag] : []));
  if (missing.length === 0) return { ...known, environment };
  // What a flag gave has to be given again.
  const typed = authUrl?.source.kind === 'flag' ? shellWord(authUrl.template) : undefined;
  const url = authUrl === undefined ? 'https://YOUR-AUTH-URL' : typed;
  const example = [
    `gwtoken login ${clientFlags({ profile, environment, region: region ?? 'eu' })}`,
    ...(url === undefined ? [] : [`--auth-url ${url}`]),
    `--client-id ${clientId === undefined ? 'ID' : shellWord(clientId)} --secret-stdin`,
  ];
  const required = missing.length === 1 ? 'is required' : 'are required';
  throw usage(
    `${missing.join(', ').replace(/, ([^,]*)$/, ' and $1')} ${required}: ${noPrompt}`,
    `example: printf %s "$SECRET" | ${example.join(' ')}`,
    ...(authUrl === undefined
      ? [
          "the auth URL is the token endpoint before /oauth2/token; the gateway's operator or documentation has it",
        ]
      : []),
  );
}

function checkClientId(flag: string | boolean | undefined): string | undefined {
  if (typeof flag !== 'string') return undefined;
  const clientId = flag.trim();
  const problem = clientIdProblem(clientId);
  if (problem === undefined) return clientId;
  throw usage(`client ID ${quoted(clientId)} (from --client-id) ${problem}`, 'pass only the client ID');
}
