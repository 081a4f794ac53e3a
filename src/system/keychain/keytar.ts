/** Where the keychain's child loads keytar from in the npm package: an optional dependency in node_modules. */
import { dirname, join } from 'node:path';

export type Keytar = typeof import('keytar');

export function loadKeytar(): Keytar {
  return require('keytar');
}

/** `@github/keytar 7.10.6` */
export function nameOfKeytar(): string {
  const { name, version } = require('keytar/package.json') as { name: string; version: string };
  return `${name} ${version}`;
}

/** Loads the native part again by its path, for the loader's own message, which keytar drops. */
export function whyNotLoaded(): string | undefined {
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
