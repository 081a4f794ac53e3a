/** The spinner, one line on stderr. It is erased before anything else is written to the terminal. */
import { untilSignal } from '../../signals';
import type { Output, Terminal, World } from '../../world';

/** Work that ends earlier shows no spinner. */
const SPINNER_AFTER_MS = 300;
const FRAME_MS = 100;
/** ASCII, which each terminal can show. Colours or a hidden cursor would have to be undone. */
const FRAMES = ['|', '/', '-', '\\'];
const ERASE_LINE = '\r\x1b[K';

interface Spinner extends Pick<Terminal, 'spin'> {
  /** The given stderr, except that each write first erases the spinner. */
  readonly stderr: Output;
}

/** @param mayDraw called before each frame, because the job can move to the background in between */
export function openSpinner(stderr: Output, mayDraw: () => boolean, onSignals: World['onSignals']): Spinner {
  let isDrawn = false;
  const erase = (): void => {
    if (isDrawn) stderr.write(ERASE_LINE);
    isDrawn = false;
  };
  return {
    stderr: {
      isTTY: stderr.isTTY,
      write(text) {
        erase();
        stderr.write(text);
      },
    },
    async spin(label, work) {
      let ticks = 0;
      const timer = setInterval(() => {
        ticks++;
        if (ticks * FRAME_MS < SPINNER_AFTER_MS || !mayDraw()) return;
        isDrawn = true;
        stderr.write(`${ERASE_LINE}${FRAMES[ticks % FRAMES.length]} ${label}`);
      }, FRAME_MS);
      // The timer alone must not keep gwtoken running.
      timer.unref();
      try {
        return await untilSignal(onSignals, work);
      } finally {
        clearInterval(timer);
        erase();
      }
    },
  };
}
