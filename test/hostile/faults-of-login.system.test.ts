import { testFaults } from './faults';

testFaults('login');
