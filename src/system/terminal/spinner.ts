/** The spinner, one line on stderr. It is erased before anything else is written to the terminal. */
import { untilSignal } from '../../waiting';
import type { Terminal, World } from '../../world';

/** Work that ends earlier shows no spinner. */
const SPINNER_AFTER_MS = 300;
const FRAME_MS = 100;
/** ASCII, which each terminal can show. Colours or a hidden cursor would have to be undone. */
const FRAMES = ['|', '/', '-', '\\'];
const ERASE_LINE = '\r\x1b[K';

interface Spinner extends Pick<Terminal, 'spin'> {
  /** Erases the spinner until the next frame. */
  erase(): void;
}

/** @param mayDraw called before each frame, because the job can move to the background in between */
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
      // The timer alone must not keep gwtoken running.
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
