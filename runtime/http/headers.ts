/** Response headers that several modules add to. */
import type { ApiResponse } from '../request/api-request.js';

type Headers = ApiResponse['headers'];

/** Adds a name to `Vary` unless it is there. */
export const addVary = (headers: Headers, name: string): Headers => {
  const { vary = '' } = headers;
  if (vary.toLowerCase().includes(name.toLowerCase())) return headers;
  return { ...headers, vary: vary === '' ? name : `${vary}, ${name}` };
};
