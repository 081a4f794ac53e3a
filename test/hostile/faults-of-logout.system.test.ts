import { testFaults } from './faults';

testFaults('logout');
