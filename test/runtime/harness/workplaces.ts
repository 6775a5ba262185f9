import { afterEach } from 'vitest';
import { createWorkplace, type Workplace } from '../commands.js';

/** Returns a function that creates workplaces, which are removed after the test that created them. */
export const useWorkplaces = (): (() => Workplace) => {
  const places: Workplace[] = [];
  afterEach(() => {
    for (const place of places.splice(0)) place.remove();
  });
  return () => {
    const place = createWorkplace();
    places.push(place);
    return place;
  };
};
