/** Plans of aggregations over the sales of shops. */
import {
  createRegistry,
  defineCollection,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import {
  bigInteger,
  binary,
  boolean,
  decimal,
  float,
  integer,
  json,
  string,
  timestamp,
} from '../../../contract/fields.js';
import { planAggregate, type AggregatePlan, type Measure } from '../../../runtime/plan/aggregate.js';
import { planRead } from '../../../runtime/plan/read.js';
import type { Entry } from '../../../runtime/plan/types.js';
import type { Aggregation } from '../../../runtime/request/aggregation.js';
import { readQuery } from '../../../runtime/request/query.js';
import { policiesOf, type ReadPermission } from './compiled.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'shop',
    path: '/items/shop',
    key: ['id'],
    fields: { id: integer(), region: string({ nullable: true }), opened: timestamp() },
    relations: { sales: oneToMany('sale', ['shop'], ['id']) },
  }),
  defineCollection({
    name: 'sale',
    path: '/items/sale',
    key: ['id'],
    fields: {
      id: integer(),
      status: string(),
      count: integer(),
      stars: integer({ bits: 8, nullable: true }),
      total: bigInteger(),
      price: decimal({ precision: 10, scale: 2 }),
      rate: decimal(),
      weight: float(),
      paid: boolean(),
      sold: timestamp(),
      facts: json(),
      photo: binary(),
      secret: string({ conceal: true }),
      pin: string({ hash: true }),
      shop: integer({ nullable: true }),
    },
    relations: { shop: manyToOne('shop', ['shop'], ['id']) },
  }),
]);

export const saleCollectionOf = (name: string): Collection => collections.get(name) as Collection;

export type Body = Readonly<Record<string, unknown>>;

/** Plans an aggregation of sales: that of the body, or another one. */
export const planSales = (
  body: Body,
  { permissions, aggregation }: { permissions?: readonly ReadPermission[]; aggregation?: Aggregation } = {},
): AggregatePlan => {
  const { query } = readQuery(body);
  const asked = aggregation ?? query.aggregation;
  if (asked === null) throw new Error('the body has no aggregation');
  const context = { policies: policiesOf(permissions), maxDepth: 10 };
  return planAggregate(query, asked, { collection: saleCollectionOf('sale'), context });
};

/** Plans the groups of the sales of shops, with these parameters of the list. */
export const planSalesOfShops = (
  parameters: Body,
  permissions?: readonly ReadPermission[],
): Entry | undefined => {
  const { query } = readQuery({ fields: ['sales'], deep: { sales: parameters } });
  const context = { policies: policiesOf(permissions), maxDepth: 10 };
  const { select } = planRead(query, saleCollectionOf('shop'), context);
  return select.kind === 'key' ? undefined : select.entries[0];
};

/** Measures by what they compute, such as `sum(price)`. */
export const measuresIn = ({ measures }: Pick<AggregatePlan, 'measures'>): readonly string[] =>
  measures.map(({ operation, name }: Measure) => `${operation}(${name ?? '*'})`);
