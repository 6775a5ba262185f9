/** Ends the schedules of each file's namespaces. */
import { afterAll } from 'vitest';
import { deleteSchedules } from './namespaces.js';

afterAll(deleteSchedules);
