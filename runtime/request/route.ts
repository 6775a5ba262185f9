/** What a route hands to its handler, and how segments of a path are read. */
import type { ApiRequest, ApiResponse } from './api-request.js';

/** Serves one route. `segments`: the values of the path's parameters in order, as sent. Errors are thrown. */
export type RouteHandle = (request: ApiRequest, segments: readonly string[]) => Promise<ApiResponse>;

/** Decodes a segment; one that cannot be decoded stands for itself, and so names nothing. */
export const decodeSegment = (segment: string): string => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Parts of a composite key are joined by commas; each part is URL-escaped by itself. */
export const splitKey = (text: string): readonly string[] => text.split(',').map(decodeSegment);
