/** Headers of answers that several parts add to. */
import type { ApiResponse } from '../request/api-request.js';

type Headers = ApiResponse['headers'];

/** Adds a name to `Vary`, once. */
export const addVary = (headers: Headers, name: string): Headers => {
  const { vary = '' } = headers;
  if (vary.toLowerCase().includes(name.toLowerCase())) return headers;
  return { ...headers, vary: vary === '' ? name : `${vary}, ${name}` };
};
