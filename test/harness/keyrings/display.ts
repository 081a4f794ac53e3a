import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onCleanup } from '../clean-up';
import { until } from '../programs/processes';
import { inherited } from '../programs/program';
import { type Environment, endHelper, run, startHelper } from './session';

/** A virtual screen, and the keys that a person presses on it. */
export interface Display {
  /** The variable DISPLAY. */
  readonly env: Environment;
  /** Waits for a window with this title, presses the keys in it, and waits until it closes. */
  answer(title: string, keys: readonly string[]): Promise<void>;
  /** Presses the keys in each window with this title until the work ends. */
  answerAll<T>(title: string, keys: readonly string[], work: Promise<T>): Promise<T>;
  /** Counts the windows with this title. */
  windows(title: string): Promise<number>;
}

/** Starts an X server. Its number is random: two servers that choose a free one at once may collide. */
export async function startDisplay(): Promise<Display> {
  const server = startHelper(
    'Xvfb',
    [
      `:${randomInt(1000, 60_000)}`,
      ...['-displayfd', '1', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'],
      // Otherwise the server restarts when its last client leaves, and rejects clients meanwhile.
      '-noreset',
    ],
    inherited(),
  );
  // SIGTERM, because SIGKILL would leave the server's socket behind.
  onCleanup(() => endHelper(server, 'SIGTERM'));
  const number = await new Promise<string>((resolve, reject) => {
    server.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
    server.once('close', () => reject(new Error('the X server ended')));
  });
  const env = { DISPLAY: `:${number}` };
  const xdotool = (...args: string[]) => run('xdotool', args, env);
  const found = async (title: string, ...options: string[]) => {
    const ids = await xdotool('search', ...options, '--onlyvisible', '--name', title).catch(() => '');
    return ids.split('\n').filter((id) => id !== '');
  };
  return {
    env,
    async answer(title, keys) {
      let id = '';
      await until(`a window: ${title}`, async () => {
        // Waits in xdotool, because a program for each look would take more CPU time than the tested ones.
        [id = ''] = await found(title, '--sync');
        return id !== '';
      });
      // `keydown` and `keyup` instead of `key`, because the key's press may close the window.
      const presses = keys.flatMap((key) => ['keydown', key, 'keyup', key]);
      await xdotool('windowfocus', '--sync', id, ...presses);
      await until(`the window closes: ${title}`, async () => !(await found(title)).includes(id), 30_000, 100);
    },
    async answerAll(title, keys, work) {
      const ended = new AbortController();
      const answering = (async () => {
        while (!ended.signal.aborted) {
          // The window may have closed since the search; another one is found in the next round.
          for (const id of await found(title))
            await xdotool('windowfocus', id, 'key', ...keys).catch(() => {});
          await sleep(500);
        }
      })();
      return await work.finally(() => {
        ended.abort();
        return answering;
      });
    },
    windows: async (title) => (await found(title)).length,
  };
}
