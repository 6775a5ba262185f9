/** Checks that every stored rule can be evaluated. */
import { findRuleFaults, ruleFaultToText } from '../plan/rule-faults.js';
import { loadRows } from '../execute/access-source.js';
import { modelToScope } from './model-scope.js';
import { problem, type Check } from './check.js';

export const rulesCheck: Check = {
  name: 'rules',
  async run({ database, model }) {
    const faults = findRuleFaults(await loadRows(database), modelToScope(model.collections));
    return faults.map((fault) => problem(ruleFaultToText(fault)));
  },
};
