/**
 * A program of its own: the only place that loads keytar. It answers one request from its parent and is then killed
 * by it. A pending dialog never returns and keeps even process.exit() from ending a process; a native fault takes the
 * process with it: neither must happen to gwtoken itself. Only getPassword, setPassword and deletePassword are ever
 * called: findCredentials and findPassword crash on locked and on foreign items.
 */
import { closeDebugger } from '../processes/debugger';
import { type Keytar, loadKeytar, nameOfKeytar, whyNotLoaded } from './keytar';

/** What gwtoken asks, over the IPC channel alone, and what it is answered. */
export type Request =
  | { readonly op: 'probe' }
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly value: string };

export type Answer =
  /** get: the value or null; set: null; delete: whether there was one; probe: the module's name and version. */
  | { readonly ok: true; readonly value: string | boolean | null }
  | {
      readonly ok: false;
      /** Loading the module, or the call into it. */
      readonly stage: 'load' | 'call';
      readonly message: string;
      readonly code?: string | undefined;
      /** Why the native part did not load: keytar itself swallows the loader's words. */
      readonly cause?: string | undefined;
    };

const SERVICE = 'gwtoken';
/** Not a prefix of anything else's service, and nobody's credentials. */
const PROBE_SERVICE = 'gwtoken-probe';

// Core files are its parent's care, whose filter it has inherited.
closeDebugger(process);
// process.exit() would wait for the thread that waits for a person.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches the whole group; the parent decides, and this program ends with it.
process.on('SIGINT', () => {});
process.once('message', async (request: Request) => {
  process.send?.(await answer(request));
});

async function answer(request: Request): Promise<Answer> {
  let keytar: Keytar;
  try {
    keytar = loadKeytar();
  } catch (error) {
    return { ok: false, stage: 'load', ...said(error), cause: whyNotLoaded() };
  }
  try {
    return { ok: true, value: await perform(request, keytar) };
  } catch (error) {
    return { ok: false, stage: 'call', ...said(error) };
  }
}

async function perform(request: Request, keytar: Keytar): Promise<string | boolean | null> {
  switch (request.op) {
    case 'get':
      return await keytar.getPassword(SERVICE, request.account);
    case 'delete':
      return await keytar.deletePassword(SERVICE, request.account);
    case 'set':
      await keytar.setPassword(SERVICE, request.account, request.value);
      return null;
    case 'probe':
      return await roundTrip(keytar);
  }
}

/** The process id keeps two of them at the same time apart. */
async function roundTrip(keytar: Keytar): Promise<string> {
  const account = `probe ${process.pid}`;
  const value = `gwtoken was here at ${new Date().toISOString()} ☂`;
  await keytar.setPassword(PROBE_SERVICE, account, value);
  let found: string | null;
  try {
    found = await keytar.getPassword(PROBE_SERVICE, account);
  } finally {
    await keytar.deletePassword(PROBE_SERVICE, account);
  }
  if (found !== value) throw new Error('the round trip gave back something else than was stored');
  return nameOfKeytar();
}

function said(error: unknown): { message: string; code?: string } {
  const code = (error as { code?: unknown } | null)?.code;
  return {
    message: error instanceof Error ? error.message : String(error),
    ...(typeof code === 'string' ? { code } : {}),
  };
}
