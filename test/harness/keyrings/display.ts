import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onCleanup } from '../clean-up';
import { until } from '../programs/processes';
import { type Environment, endHelper, run, startHelper } from './session';

/** A screen that nobody sees, and the hand of the person before it. */
export interface Display {
  /** DISPLAY. */
  readonly env: Environment;
  /** Waits for a window by its title, presses the keys in it, and waits until it is gone. */
  answer(title: string, keys: readonly string[]): Promise<void>;
  /** Presses the keys in each window with such a title for as long as the work is under way. */
  answerAll<T>(title: string, keys: readonly string[], work: Promise<T>): Promise<T>;
  /** How many windows there are with this title. */
  windows(title: string): Promise<number>;
}

/** Starts an X server on a number of chance: two that start at once may take the same, and one is lost. */
export async function startDisplay(): Promise<Display> {
  const path = { PATH: process.env['PATH'] ?? '' };
  const server = startHelper(
    'Xvfb',
    [
      `:${randomInt(1000, 60_000)}`,
      ...['-displayfd', '1', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'],
      // By itself it starts anew when its last client has gone, and turns away the next one meanwhile.
      '-noreset',
    ],
    path,
  );
  // Not by SIGKILL, after which its socket would stay.
  onCleanup(() => endHelper(server, 'SIGTERM'));
  const number = await new Promise<string>((resolve, reject) => {
    server.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
    server.once('close', () => reject(new Error('the X server ended')));
  });
  const env = { DISPLAY: `:${number}` };
  const xdotool = (...args: string[]) => run('xdotool', args, { ...path, ...env });
  const found = async (title: string) => {
    const ids = await xdotool('search', '--onlyvisible', '--name', title).catch(() => '');
    return ids.split('\n').filter((id) => id !== '');
  };
  return {
    env,
    async answer(title, keys) {
      let id = '';
      await until(`a window: ${title}`, async () => {
        [id = ''] = await found(title);
        return id !== '';
      });
      await xdotool('windowfocus', '--sync', id);
      // Pressed and let go by themselves: the window may go in between.
      for (const key of keys) await xdotool('keydown', key, 'keyup', key);
      await until(`it is gone: ${title}`, async () => !(await found(title)).includes(id));
    },
    async answerAll(title, keys, work) {
      const ended = new AbortController();
      const answering = (async () => {
        while (!ended.signal.aborted) {
          // It may be gone by now, or there again.
          for (const id of await found(title))
            await xdotool('windowfocus', id, 'key', ...keys).catch(() => {});
          await sleep(50);
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
