/** keytar.ts for the standalone executable, which has the native part of its platform in itself. */
import type { Keytar } from './keytar';

declare const __KEYTAR__: string;

/** keytar's own index.js only looks for the native part, whose functions these are. */
export function loadKeytar(): Keytar {
  return require('keytar.node');
}

export function nameOfKeytar(): string {
  return __KEYTAR__;
}

/** The failure of `loadKeytar` has the loader's words already. */
export function whyNotLoaded(): undefined {}
