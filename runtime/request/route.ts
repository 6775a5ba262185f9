/** Declares the handler of a route, and decodes the segments and keys of its path. */
import type { ApiRequest, ApiResponse } from './api-request.js';

/** Handles the requests of one route; throws errors. `segments`: the path parameters in order, as sent. */
export type RouteHandle = (request: ApiRequest, segments: readonly string[]) => Promise<ApiResponse>;

/** Decodes a segment, or returns null for invalid percent-encoding. */
export const decodeSegment = (segment: string): string | null => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
};

/** Decodes a path parameter; an invalid one is returned as sent, and usually matches nothing. */
export const decodeValue = (segment: string): string => decodeSegment(segment) ?? segment;

/**
 * Splits a key into `count` parts, which are joined by commas and percent-encoded each. Where that gives another count,
 * the text may have been encoded once more as a whole.
 */
export const splitKey = (text: string, count: number): readonly string[] => {
  if (count === 1) return [decodeValue(text)];
  const parts = text.split(',');
  return (parts.length === count ? parts : decodeValue(text).split(',')).map(decodeValue);
};
