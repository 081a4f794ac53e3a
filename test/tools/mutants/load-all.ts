/// <reference types="vite/client" />
/**
 * Loads every module before the first test. A constant of a module that some test is the first to load would count as
 * covered by that test alone.
 */
import.meta.glob('/src/{formats,settings,credentials,token,cli,commands}/**/*.ts', { eager: true });
