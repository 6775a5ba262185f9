/** Checks that a worker runs the models of each class, if there is a queue. */
import { builtInModels } from '../queue/models/built-in.js';
import { listWorkers } from '../queue/store/operator-counts.js';
import { note, type Check } from './check.js';

export const classesCheck: Check = {
  name: 'classes of models',
  async run({ database, config, model }) {
    if (config.temporal.address === null) return [];
    const workers = await listWorkers(database, Date.now());
    const served = new Set(workers.flatMap(({ state, classes }) => (state === 'running' ? classes : [])));
    const models = [...model.queueModels, ...builtInModels];
    const classes = [...new Set(models.map((each) => each.class))].filter((name) => !served.has(name));
    return classes.map((name) => {
      const ids = models.filter((each) => each.class === name).map(({ id }) => id);
      return note(
        `no worker runs the class "${name}", so requests of ${ids.join(', ')} wait; ` +
          `start one: svc worker --role models --class ${name}`,
      );
    });
  },
};
