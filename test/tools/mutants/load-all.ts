/// <reference types="vite/client" />
/** Loads all modules before the tests. Otherwise a constant counts as covered only by the test that loads it. */
import.meta.glob('/src/{formats,settings,credentials,token,cli,commands}/**/*.ts', { eager: true });
