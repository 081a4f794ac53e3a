/** The quick faults between the built program and its endpoint. wire.both.system.test.ts has the others. */
import { testCases } from './test-cases';

testCases('quick');
