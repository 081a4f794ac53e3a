/**
 * `npm run demo`: the real program against two token endpoints on loopback, as a transcript to follow. Every line is
 * run as shown, and the demo fails if one does not do what it should.
 */
import type { IdentityClient } from '../../harness/endpoints/identity-server';
import { openSession, type Session, type Shell } from './session';
import { type RegionOnStage, type Stage, setStage } from './stage';

const shell: Shell = process.platform === 'win32' ? 'powershell' : 'sh';
const inSh = shell === 'sh';

async function play(stage: Stage, session: Session): Promise<void> {
  const { eu, us } = stage;
  session.say(`One token endpoint per region, each with its own clients:
eu ${eu.identity.authUrl}   ${eu.production.clientId}, ${eu.sandbox.clientId}
us ${us.identity.authUrl}   ${us.production.clientId}, ${us.sandbox.clientId}
${stage.keychain.why}`);
  session.set('GWTOKEN_PROFILE', stage.profile);

  session.say('Log in. gwtoken verifies the credentials before storing them.');
  const stored = await login(stage, session);
  await formats(eu, session);

  session.say('The sandbox has its own clients.');
  if (stored) {
    await session.run(loginLine('EU_SANDBOX_SECRET', `--sandbox --client-id ${eu.sandbox.clientId}`), {
      stderr: /^Credentials verified and stored in the keychain as demo-\w+:sandbox:eu/,
    });
  } else {
    giveCredentials(session, 'GWTOKEN_SANDBOX_', 'EU', eu.sandbox);
  }
  await session.run('gwtoken get --sandbox', { stdout: (text) => eu.identity.issued.at(-1) === text.trim() });

  await regions(stage, stored, session);
  await intoTheEnvironment(eu, session);
  await leave(stored, session);
}

/** Stores the first client; false if there is no keychain, and environment variables are used instead. */
async function login({ eu, keychain }: Stage, session: Session): Promise<boolean> {
  if (keychain.kind !== 'none') {
    const { code } = await session.run(
      loginLine(
        'EU_SECRET',
        `--region eu --auth-url ${eu.identity.authUrl} --client-id ${eu.production.clientId}`,
      ),
      {
        code: keychain.kind === 'real' ? [0, 5] : 0,
        stderr: /^(Credentials verified and stored in the keychain as demo-|gwtoken: error: )/,
      },
    );
    if (code === 0) return true;
    session.say('The keychain does not work here, so the credentials come from environment variables.');
  }
  session.set('GWTOKEN_REGION', 'eu');
  session.set('GWTOKEN_AUTH_URL_EU', eu.identity.authUrl);
  giveCredentials(session, 'GWTOKEN_', 'EU', eu.production);
  return false;
}

async function formats({ identity, production }: RegionOnStage, session: Session): Promise<void> {
  const issued = (text: string): boolean => identity.issued.includes(text);
  session.say('Get a token: only the token on stdout, nothing on stderr.');
  await session.run('gwtoken get', { stdout: (text) => text.endsWith('\n') && issued(text.slice(0, -1)) });
  session.say('The same as an HTTP header, and as curl configuration.');
  await session.run('gwtoken get --format header', {
    stdout: (text) => issued(/^Authorization: Bearer (.+)\n$/.exec(text)?.[1] ?? ''),
  });
  await session.run('gwtoken get --format curl', {
    stdout: (text) => issued(/^header = "Authorization: Bearer (.+)"\n$/.exec(text)?.[1] ?? ''),
  });
  session.say('The same with details.');
  await session.run('gwtoken get --format json', {
    stdout: (text) => {
      const json = JSON.parse(text);
      return issued(json.access_token) && json.region === 'eu' && json.environment === 'production';
    },
  });
  const secrets = identity.requests.filter(({ body }) => body.includes(production.clientSecret));
  if (secrets.length === 0) throw new Error('no request brought the client secret to the identity server');
}

async function regions({ eu, us }: Stage, stored: boolean, session: Session): Promise<void> {
  session.say('A client belongs to one region: the US endpoint rejects the EU client.');
  const address = `--region us --auth-url ${us.identity.authUrl}`;
  const refused = {
    code: 3,
    stderr: /^gwtoken: error: .*invalid_client[\s\S]*if the client belongs to region eu, use --region eu/,
  };
  if (stored) {
    await session.run(loginLine('EU_SECRET', `${address} --client-id ${eu.production.clientId}`), refused);
    session.say('Nothing was stored. Log in with the US client instead:');
    await session.run(loginLine('US_SECRET', `${address} --client-id ${us.production.clientId}`), {
      stderr: /^Credentials verified and stored in the keychain as demo-\w+:production:us/,
    });
  } else {
    session.set('GWTOKEN_AUTH_URL_US', us.identity.authUrl);
    giveCredentials(session, 'GWTOKEN_', 'US', eu.production);
    await session.run('gwtoken get --region us', refused);
    session.say('Use the US client instead:');
    giveCredentials(session, 'GWTOKEN_', 'US', us.production);
  }
  await session.run('gwtoken get --region us', {
    stdout: (text) => us.identity.issued.at(-1) === text.trim(),
  });
}

async function intoTheEnvironment({ identity }: RegionOnStage, session: Session): Promise<void> {
  const issued = (text: string): boolean =>
    identity.issued.includes(/^Bearer (\S+)\n$/i.exec(text)?.[1] ?? '');
  session.say('Export the token to the shell.');
  await session.run(
    inSh
      ? ['eval $(gwtoken env)', 'echo "$GWTOKEN_TOKEN_TYPE $GWTOKEN_ACCESS_TOKEN"']
      : [
          'gwtoken env --format powershell | Out-String | Invoke-Expression',
          '"$env:GWTOKEN_TOKEN_TYPE $env:GWTOKEN_ACCESS_TOKEN"',
        ],
    { stdout: issued },
  );
  if (inSh) {
    session.say('If gwtoken fails, so does the eval.');
    await session.run('eval $(gwtoken env --region mars) || echo "failed with $?"', {
      stdout: 'failed with 2\n',
      stderr: /^gwtoken: error: .*mars/,
    });
  }
  session.say('Pass the token to a single command.');
  await session.run('gwtoken exec -- node -p process.env.GWTOKEN_ACCESS_TOKEN', {
    stdout: (text) => issued(`Bearer ${text}`),
  });
}

async function leave(stored: boolean, session: Session): Promise<void> {
  if (!stored) {
    session.say('Nothing was stored, so there is nothing to log out of.');
    return;
  }
  session.say('Log out, and see what happens without credentials.');
  await session.run('gwtoken logout --all --yes', {
    stderr: (text) => text.match(/^Removed demo-/gm)?.length === 3,
  });
  await session.run('gwtoken get', { code: 4, stderr: /^gwtoken: error: no credentials found for demo-/ });
}

function loginLine(secret: string, flags: string): string {
  const pipe = inSh ? `printf %s "$${secret}"` : `$env:${secret}`;
  return `${pipe} | gwtoken login ${flags} --secret-stdin`;
}

function giveCredentials(session: Session, prefix: string, region: string, client: IdentityClient): void {
  session.set(`${prefix}CLIENT_ID_${region}`, client.clientId);
  session.set(`${prefix}CLIENT_SECRET_${region}`, client.clientSecret);
}

async function main(): Promise<void> {
  const started = performance.now();
  const stage = await setStage();
  const { eu, us } = stage;
  const session = openSession(
    shell,
    {
      ...stage.env,
      EU_SECRET: eu.production.clientSecret,
      EU_SANDBOX_SECRET: eu.sandbox.clientSecret,
      US_SECRET: us.production.clientSecret,
    },
    (text) => process.stdout.write(text),
  );

  let interrupted: NodeJS.Signals | undefined;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) {
    process.on(signal, () => {
      interrupted ??= signal;
      session.stop();
    });
  }
  try {
    await play(stage, session);
    await stage.strike();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    session.say(
      `Done: ${session.typed} commands in ${seconds} s, all as expected. Everything was cleaned up.`,
    );
  } catch (error) {
    await stage.strike().catch((problem) => console.error(`demo: ${problem}`));
    if (!interrupted) console.error(`\ndemo: FAILED: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
  for (const signal of signals) process.removeAllListeners(signal);
  // By the signal itself, so that a calling script stops too.
  if (interrupted) process.kill(process.pid, interrupted);
}

void main();
