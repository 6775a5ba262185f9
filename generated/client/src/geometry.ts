/** GeoJSON geometries (RFC 7946). */

/** Longitude and latitude in degrees; x and y where `crs` says so. */
export type Position = readonly [longitude: number, latitude: number];

interface Coordinates<Type extends string, Value> {
  readonly type: Type;
  readonly coordinates: Value;
}

type Shape =
  | Coordinates<'Point', Position>
  | Coordinates<'LineString' | 'MultiPoint', readonly Position[]>
  | Coordinates<'MultiLineString' | 'Polygon', readonly (readonly Position[])[]>
  | Coordinates<'MultiPolygon', readonly (readonly (readonly Position[])[])[]>
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Shape[] };

/** A geometry, with its system of coordinates where that is not WGS 84; null is a plane without one. */
export type Geometry = Shape & {
  readonly crs?: { readonly type: 'name'; readonly properties: { readonly name: string } } | null;
};
