/** Faults between the built program and its endpoint. */
import { testCases } from './meet';

testCases(false);
