/** Types of the checks of `svc doctor`. */
import type { Model } from '../../generator/model/types.js';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';

export interface Finding {
  /** A problem has to be solved; a note is worth knowing. */
  readonly severity: 'problem' | 'note';
  /** One sentence with its remedy. */
  readonly message: string;
}

/** The installation that the checks examine. */
export interface Subject {
  readonly database: Database;
  readonly config: Config;
  readonly model: Model;
}

export interface Check {
  readonly name: string;
  run(subject: Subject): Promise<readonly Finding[]>;
}

/** Creates a finding that makes `svc doctor` exit with 1. */
export const problem = (message: string): Finding => ({ severity: 'problem', message });

/** Creates a finding that does not change the exit code. */
export const note = (message: string): Finding => ({ severity: 'note', message });
