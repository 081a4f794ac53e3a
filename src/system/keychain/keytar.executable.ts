/** keytar.ts for the standalone executable, which contains the native part for its platform. */
import type { Keytar } from './keytar';

declare const __KEYTAR__: string;

/** keytar's own index.js only finds the native part and exports its functions. */
export function loadKeytar(): Keytar {
  return require('keytar.node');
}

export function nameOfKeytar(): string {
  return __KEYTAR__;
}

/** What `loadKeytar` throws contains the loader's message already. */
export function whyNotLoaded(): undefined {}
