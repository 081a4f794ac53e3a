/** Loads keytar in the keychain's child: the npm package has it in node_modules, the executable contains its native part. */
import { dirname, join } from 'node:path';

declare const __EXECUTABLE__: boolean;
declare const __KEYTAR__: string;

export type Keytar = typeof import('keytar');

/** In the executable without keytar's index.js, which only finds the native part and exports its functions. */
export function loadKeytar(): Keytar {
  return __EXECUTABLE__ ? require('keytar.node') : require('keytar');
}

/** `@github/keytar 7.10.6` */
export function nameOfKeytar(): string {
  if (__EXECUTABLE__) return __KEYTAR__;
  const { name, version } = require('keytar/package.json') as { name: string; version: string };
  return `${name} ${version}`;
}

/** Loads the native part again by its path, for the loader's own message, which keytar's index.js drops. */
export function whyNotLoaded(): string | undefined {
  if (__EXECUTABLE__) return undefined;
  try {
    const module = dirname(require.resolve('keytar/package.json'));
    process.dlopen(
      { exports: {} },
      join(module, 'prebuilds', `${process.platform}-${process.arch}`, 'keytar.node'),
    );
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
