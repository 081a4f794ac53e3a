import { expect, test, vi } from 'vitest';
import { openSpinner } from '../../../src/system/terminal/spinner';
import { onCleanup } from '../../harness/clean-up';

const LABEL = 'requesting a token';
const ERASED = '\r\x1b[K';

test('openSpinner() shows a label only after 300 ms, and erases it', async () => {
  vi.useFakeTimers();
  onCleanup(() => void vi.useRealTimers());
  let text = '';
  let listening = 0;
  const onSignals = () => {
    listening++;
    return () => void listening--;
  };
  const write = (more: string) => {
    text += more;
  };
  const { spin } = openSpinner({ isTTY: () => true, write }, () => true, onSignals);
  await spin(LABEL, () => vi.advanceTimersByTimeAsync(299));
  expect([text, vi.getTimerCount(), listening]).toEqual(['', 0, 0]);
  await spin(LABEL, () => vi.advanceTimersByTimeAsync(300));
  expect(text).toBe(`${ERASED}\\ requesting a token${ERASED}`);
  expect([vi.getTimerCount(), listening]).toEqual([0, 0]);
});
