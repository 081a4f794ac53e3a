/** The faults between the built program and its endpoint that wire.both.test.ts leaves out. */
import { testCases } from './test-cases';

testCases('others');
