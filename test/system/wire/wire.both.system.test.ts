/** Faults between gwtoken and its endpoint, each met by the built program as a user runs it. */
import { testCases } from './meet';

testCases(false);
