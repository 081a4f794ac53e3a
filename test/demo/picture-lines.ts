/** What the picture of a terminal shows as typed, so that its test can tell when the picture has fallen behind. */
import type { IdentityServer } from '../harness/endpoints/identity-server';
import type { Wanted } from './session';

interface Line extends Wanted {
  /** Typed into one shell, one after the other. */
  readonly typed: readonly string[];
}

/** @param identity tells what the lines must give: its tokens, and where it listens */
export function pictureLines({ authUrl, issued }: Pick<IdentityServer, 'authUrl' | 'issued'>): Line[] {
  return [
    {
      typed: [
        'printf %s "$SECRET" | gwtoken login --region eu --client-id eu-client \\\n' +
          `    --secret-stdin --auth-url ${authUrl}`,
      ],
      stderr: /^Credentials verified and stored in the keychain as default:production:eu/,
    },
    { typed: ['gwtoken get --region eu'], stdout: (text) => `${issued.at(-1)}\n` === text },
    { typed: ['eval $(gwtoken env)', 'echo "$GWTOKEN_EXPIRES_AT"'], stdout: /^\d{10}\n$/ },
    { typed: ['gwtoken status'], stdout: /^\* default:production:eu .* left /m },
  ];
}
