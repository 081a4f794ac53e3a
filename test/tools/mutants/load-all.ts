/// <reference types="vite/client" />
/** Loads every module first: else a constant would count as covered by the test that loads it first. */
import.meta.glob('/src/{formats,settings,credentials,token,cli,commands}/**/*.ts', { eager: true });
