/** The spinner: a line on the terminal's stderr, erased before anything else is written there. */
import { untilSignal } from '../../waiting';
import type { Terminal, World } from '../../world';

/** The time that work may take without a spinner. */
const SPINNER_AFTER_MS = 300;
const FRAME_MS = 100;
/** ASCII, which every terminal shows; without colour, and with the cursor where it is: nothing to undo. */
const FRAMES = ['|', '/', '-', '\\'];
const ERASE_LINE = '\r\x1b[K';

interface Spinner extends Pick<Terminal, 'spin'> {
  /** Erases it until the next frame. */
  erase(): void;
}

/** @param mayDraw tells if it may be seen now: the job may be in the background by then */
export function openSpinner(
  write: (text: string) => void,
  mayDraw: () => boolean,
  onSignals: World['onSignals'],
): Spinner {
  let isDrawn = false;
  const erase = (): void => {
    if (isDrawn) write(ERASE_LINE);
    isDrawn = false;
  };
  return {
    erase,
    async spin(label, work) {
      let text = label;
      let ticks = 0;
      const timer = setInterval(() => {
        ticks++;
        if (ticks * FRAME_MS < SPINNER_AFTER_MS || !mayDraw()) return;
        isDrawn = true;
        write(`${ERASE_LINE}${FRAMES[ticks % FRAMES.length]} ${text}`);
      }, FRAME_MS);
      // It keeps nothing alive: a run that waits for nothing more ends.
      timer.unref();
      const relabel = (other: string): void => {
        text = other;
      };
      try {
        return await untilSignal(onSignals, (cancelled) => work(relabel, cancelled));
      } finally {
        clearInterval(timer);
        erase();
      }
    },
  };
}
