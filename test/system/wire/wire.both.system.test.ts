/** All other faults between the built program and its endpoint than those of wire.both.test.ts. */
import { testCases } from './test-cases';

testCases('others');
