/** The handler of a route, and the decoding of segments of its path. */
import type { ApiRequest, ApiResponse } from './api-request.js';

/** Serves one route. `segments`: the values of the path's parameters in order, as sent. Errors are thrown. */
export type RouteHandle = (request: ApiRequest, segments: readonly string[]) => Promise<ApiResponse>;

/** Decodes a segment; `null`: it cannot be decoded. */
export const decodeSegment = (segment: string): string | null => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
};

/** Decodes the value of a parameter; one that cannot be decoded stands for itself, and names nothing as a rule. */
export const decodeValue = (segment: string): string => decodeSegment(segment) ?? segment;

/** Parts of a composite key are joined by commas; each part is URL-escaped by itself. */
export const splitKey = (text: string): readonly string[] => text.split(',').map(decodeValue);
