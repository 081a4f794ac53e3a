import { testFaults } from './faults';

testFaults('config set');
