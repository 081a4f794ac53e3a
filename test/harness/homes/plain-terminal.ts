import { painter } from '../../../src/system/terminal/terminal';
import type { Terminal } from '../../../src/world';

type PlainTerminal = Pick<Terminal, 'paint' | 'spin'>;

/** Returns a terminal without colours, whose spinner writes its labels into this list. */
export const noting = (labels: string[]): PlainTerminal => ({
  paint: () => painter({}, false),
  spin(label, work) {
    labels.push(label);
    return work(new AbortController().signal);
  },
});
/** A terminal without colours. */
export const PLAIN = noting([]);
