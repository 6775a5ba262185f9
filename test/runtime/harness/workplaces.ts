import { afterEach } from 'vitest';
import { createWorkplace, type Workplace, type WorkplaceOptions } from '../commands.js';

/** Returns a function that creates workplaces, which are removed after the test that created them. */
export const useWorkplaces = (): ((options?: WorkplaceOptions) => Workplace) => {
  const places: Workplace[] = [];
  afterEach(() => {
    for (const place of places.splice(0)) place.remove();
  });
  return (options) => {
    const place = createWorkplace(options);
    places.push(place);
    return place;
  };
};
