/** Checks that a worker runs the models of each class, if there is a queue, and that each request that waits has its model. */
import { plural } from '../../contract/plural.js';
import { builtInModels } from '../queue/models/built-in.js';
import { countByModel, listWorkers } from '../queue/store/operator-counts.js';
import { note, type Check, type Finding, type Subject } from './check.js';

export const classesCheck: Check = {
  name: 'classes of models',
  run: async (subject) => [...(await findUnserved(subject)), ...(await findWithoutModel(subject))],
};

const findUnserved = async ({ database, config, model }: Subject): Promise<readonly Finding[]> => {
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
};

/** Finds requests to a model that was renamed, removed or switched off: workers put them back again and again. */
const findWithoutModel = async ({ database, model }: Subject): Promise<readonly Finding[]> => {
  const present = new Set([...model.queueModels, ...builtInModels].map(({ id }) => id));
  const counts = (await countByModel(database)).filter((each) => !present.has(each.model));
  return counts.flatMap(({ model: id, waiting, admitted }) => {
    const found = waiting + admitted;
    if (found === 0) return [];
    const text = `${plural(found, 'request')} ${found === 1 ? 'waits' : 'wait'}`;
    return [
      note(
        `${text} for the model ${id}, which does not exist; add it again, or end them: svc requests cancel --model ${id}`,
      ),
    ];
  });
};
