/** A dozen of the faults between gwtoken and its endpoint; wire.both.system.test.ts has the others. */
import { testCases } from './meet';

testCases(true);
