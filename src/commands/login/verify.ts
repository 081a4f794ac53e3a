import { withMistakes } from '../../credentials/copy-mistakes';
import { formatItem } from '../../credentials/keychain';
import { GwtokenError } from '../../errors';
import { hintsFor } from '../../hints/hints';
import { oneLine } from '../../text';
import { fetchToken } from '../../token/fetch';
import type { RequestSettings } from '../../token/query';
import type { World } from '../../world';
import { hintLine } from '../report';
import { type Answers, askAgain, loginLine } from './answers';

/** Fetches a token; prompts again for typed credentials that are refused. Returns the accepted ones. */
export async function verified(
  first: Answers,
  canPrompt: boolean,
  forRequest: RequestSettings,
  world: World,
): Promise<Answers> {
  const tries = canPrompt ? 3 : 1;
  let answers = first;
  for (let n = 1; ; n++) {
    // Throws if they are too long for an item, before they are sent.
    formatItem(answers);
    try {
      await world.terminal.spin('verifying the credentials', () => fetchToken(forRequest, answers, world));
      return answers;
    } catch (thrown) {
      const error = withMistakes(thrown, answers, world);
      if (!(error instanceof GwtokenError)) throw error;
      if (error.reason !== 'rejected' || n === tries) throw notVerified(error, answers, canPrompt);
      const paint = await world.terminal.paint('stderr');
      const lines = [
        oneLine(error.message),
        ...hintsFor(error, undefined).map((hint) => hintLine(hint, paint)),
      ];
      const choice = 'Try again (Enter keeps the ID), or press Ctrl-C if region or auth URL is wrong.';
      world.stderr.write(`${lines.join('\n')}\n${choice}\n`);
      answers = await askAgain(answers, world);
    }
  }
}

/** Adds to the error that nothing was stored, and what a person or a script can do. */
function notVerified(error: GwtokenError, answers: Answers, canPrompt: boolean): Error {
  const unstored = error.with({ message: `${error.message}; nothing was stored`, client: answers.client });
  if (!canPrompt) return unstored;
  const lastStep = `to start again, run: ${loginLine(answers)}`;
  return unstored.with({ source: { kind: 'prompt', name: '' }, lastStep });
}
