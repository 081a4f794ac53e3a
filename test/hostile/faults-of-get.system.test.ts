import { testFaults } from './faults';

testFaults('get');
