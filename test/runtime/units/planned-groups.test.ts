/** Aggregations as plans: groups, measures, the form of the answer, conditions and order. */
import { describe, expect, it } from 'vitest';
import type { OutputNode } from '../../../runtime/request/aggregation.js';
import { printColumn, printCondition } from './printed-conditions.js';
import { reasonOf } from './refusals.js';
import { measuresIn, planSales, planSalesOfShops, type Body } from './sale-plans.js';

const refusalOf = (body: Body): string | null => reasonOf(() => planSales(body));

describe('a row of the answer', () => {
  it('has the groups, then the operations, those of fields as objects', () => {
    const plan = planSales({
      groupBy: ['status', 'shop.region'],
      aggregate: { count: '*', sum: ['price', 'count'], max: 'price' },
    });
    expect(plan.shape).toEqual([
      { name: 'status', output: 0 },
      { name: 'shop.region', output: 1 },
      { name: 'count', output: 2 },
      {
        name: 'sum',
        entries: [
          { name: 'price', output: 3 },
          { name: 'count', output: 4 },
        ],
      },
      { name: 'max', entries: [{ name: 'price', output: 5 }] },
    ]);
    expect(plan.groups.map(({ name, column }) => [name, printColumn(column)])).toEqual([
      ['status', 'status'],
      ['shop.region', 'shop.region'],
    ]);
    expect(measuresIn(plan)).toEqual(['count(*)', 'sum(price)', 'sum(count)', 'max(price)']);
    expect(plan.measures.map(({ column }) => column && printColumn(column))).toEqual([
      null,
      'price',
      'count',
      'price',
    ]);
  });

  it('has the operations alone where nothing is grouped', () => {
    const { shape, groups } = planSales({ aggregate: { countAll: 'id' } });
    expect(shape).toEqual([{ name: 'countAll', output: 0 }]);
    expect(groups).toEqual([]);
  });

  it('has a group once, however often it is named', () => {
    const { groups, shape } = planSales({ groupBy: ['status', 'paid', 'status'] });
    expect(groups.map(({ name }) => name)).toEqual(['status', 'paid']);
    expect(shape).toHaveLength(2);
  });

  it('has calls of functions under names without brackets, read in the time zone of the query', () => {
    const plan = planSales({
      groupBy: ['year(sold)', 'shop.month(opened)'],
      aggregate: { max: 'hour(sold)' },
      timezone: 'Europe/Berlin',
    });
    expect(plan.shape.map(({ name }) => name)).toEqual(['sold_year', 'shop.opened_month', 'max']);
    expect(plan.groups.map(({ column }) => printColumn(column))).toEqual([
      'year(sold) in Europe/Berlin',
      'shop.month(opened) in Europe/Berlin',
    ]);
    expect(measuresIn(plan)).toEqual(['max(sold_hour)']);
  });

  it('may have constants, and null for an object of nothing', () => {
    const outputs: readonly OutputNode[] = [
      { kind: 'constant', as: '__typename', json: '"sale"' },
      { kind: 'object', as: 'sum', children: [] },
      { kind: 'groups' },
      {
        kind: 'object',
        as: 'min',
        children: [{ kind: 'measure', as: 'least', measure: { operation: 'min', path: ['price'] } }],
      },
    ];
    const aggregation = { outputs, groupBy: [['status']], having: null };
    expect(planSales({}, { aggregation }).shape).toEqual([
      { name: '__typename', json: '"sale"' },
      { name: 'sum', json: 'null' },
      { name: 'status', output: 0 },
      { name: 'min', entries: [{ name: 'least', output: 1 }] },
    ]);
  });

  it('cannot have a group and an operation of one name', () => {
    expect(refusalOf({ groupBy: 'count', aggregate: { count: '*' } })).toBe(
      'INVALID_QUERY: a group and an operation are both called "count"; ask for them in two requests',
    );
    expect(refusalOf({ groupBy: 'count', aggregate: { sum: 'count' } })).toBeNull();
  });
});

const fieldOf = (operation: string, field: string) =>
  planSales({ aggregate: { [operation]: field } }).measures[0]?.field;

describe('a measure', () => {
  const count = { name: 'count', type: 'integer', bits: 64 };

  it.each<[string, string, object]>([
    ['count', '*', count],
    ['count', 'photo', count],
    ['count', 'secret', count],
    ['countDistinct', 'status', count],
    ['countAll', 'price', count],
    ['sum', 'stars', { name: 'stars', nullable: true, type: 'bigInteger', bits: 64 }],
    ['sum', 'total', { name: 'total', nullable: true, type: 'bigInteger', bits: 64 }],
    ['sum', 'price', { name: 'price', nullable: true, type: 'decimal', scale: 2 }],
    ['sum', 'rate', { name: 'rate', nullable: true, type: 'decimal' }],
    ['sumDistinct', 'weight', { name: 'weight', nullable: true, type: 'float' }],
    ['avg', 'stars', { name: 'stars', nullable: true, type: 'decimal', scale: 4 }],
    ['avg', 'price', { name: 'price', nullable: true, type: 'decimal', scale: 6 }],
    ['avg', 'rate', { name: 'rate', nullable: true, type: 'decimal', scale: 16 }],
    ['avgDistinct', 'weight', { name: 'weight', nullable: true, type: 'float' }],
    ['min', 'stars', { name: 'stars', nullable: true, type: 'integer', bits: 8 }],
    ['max', 'sold', { name: 'sold', nullable: true, type: 'timestamp' }],
  ])('has a type that holds every result: %s of %s', (operation, field, want) => {
    expect(fieldOf(operation, field)).toEqual(want);
  });

  it.each<[string, string, string]>([
    ['sum', 'status', '(string); it supports count, countDistinct, min, max'],
    ['max', 'paid', '(boolean); it supports count, countDistinct'],
    ['avg', 'secret', '(string); it supports count, min, max'],
    ['countDistinct', 'pin', '(string); it supports count, min, max'],
  ])('is refused where it does not apply: %s of %s', (operation, field, want) => {
    expect(refusalOf({ aggregate: { [operation]: field } })).toBe(
      `INVALID_QUERY: ${operation} does not apply to "${field}" ${want}`,
    );
  });

  it('may be of a related item, but not of a list', () => {
    expect(measuresIn(planSales({ aggregate: { min: 'shop.region' } }))).toEqual(['min(shop.region)']);
    expect(refusalOf({ aggregate: { min: 'shop.sales.price' } })).toBe(
      'INVALID_QUERY: "aggregate" cannot follow the list "sales"',
    );
    expect(refusalOf({ aggregate: { sum: 'shop.region' } })).toMatch(/^INVALID_QUERY: sum .* "shop\.region"/);
  });
});

describe('a group is refused', () => {
  it.each<[string, string]>([
    ['secret', 'INVALID_QUERY: "groupBy" cannot use "secret": its values are concealed'],
    ['pin', 'INVALID_QUERY: "groupBy" cannot use "pin": its values are concealed'],
    ['facts', 'INVALID_QUERY: "groupBy" cannot use "facts": values of type json are not comparable'],
    ['shop.sales.price', 'INVALID_QUERY: "groupBy" cannot follow the list "sales"'],
    ['missing', 'FORBIDDEN: the field "missing" does not exist or may not be used'],
  ])('by %s', (groupBy, want) => {
    expect(refusalOf({ groupBy })).toBe(want);
  });

  it('unless it is a value in JSON', () => {
    expect(planSales({ groupBy: 'json(facts, color)' }).groups.map(({ name }) => name)).toEqual([
      'facts_color_json',
    ]);
  });
});

const orderOf = (body: Body): readonly string[] => {
  const plan = planSales(body);
  const names = [...plan.groups.map(({ name }) => name), ...measuresIn(plan)];
  return plan.order.map(({ output, descending }) => `${descending ? '-' : ''}${names[output] ?? '?'}`);
};

describe('the order of groups', () => {
  it.each<[Body, readonly string[]]>([
    [{}, ['status', 'sold_year', 'shop.region']],
    [{ sort: ['-sold_year'] }, ['-sold_year', 'status', 'shop.region']],
    [{ sort: ['year(sold)'] }, ['sold_year', 'status', 'shop.region']],
    [{ sort: ['-shop.region', 'status'] }, ['-shop.region', 'status', 'sold_year']],
    [{ sort: ['-count'] }, ['-count(*)', 'status', 'sold_year', 'shop.region']],
    [{ sort: ['count.*'] }, ['count(*)', 'status', 'sold_year', 'shop.region']],
    [{ sort: ['count.price'] }, ['count(price)', 'status', 'sold_year', 'shop.region']],
    [{ sort: ['sum.price', '-status'] }, ['sum(price)', '-status', 'sold_year', 'shop.region']],
    [{ sort: ['-max.shop.region'] }, ['-max(shop.region)', 'status', 'sold_year', 'shop.region']],
  ])('begins with that of the query and ends with every group: %j', (body, want) => {
    expect(orderOf({ groupBy: ['status', 'year(sold)', 'shop.region'], ...body })).toEqual(want);
  });

  it('is none where there is one row', () => {
    const plan = planSales({ aggregate: { count: '*' }, sort: ['-count'] });
    expect(plan.order).toEqual([]);
  });

  it.each(['price', 'sum', 'sum.*', 'avg', 'median.price', 'shop'])('cannot use %s', (sort) => {
    expect(refusalOf({ groupBy: ['status'], sort: [sort] })).toBe(
      `INVALID_QUERY: "sort" of an aggregation takes groups and operations, not "${sort}"; for example status, count, sum.<field>`,
    );
  });

  it('computes a measure of the answer once, and others in addition', () => {
    const body = { groupBy: 'status', aggregate: { sum: ['price', 'total'] } };
    const plan = planSales({
      ...body,
      sort: ['sum.price', 'avg.price', 'avg.price'],
      having: { sum: { price: { _gt: 1 } } },
    });
    expect(measuresIn(plan)).toEqual(['sum(price)', 'sum(total)', 'avg(price)']);
    expect(plan.shape).toEqual(planSales(body).shape);
  });
});

const havingOf = (having: Body): string => {
  const plan = planSales({
    groupBy: ['status', 'shop.region'],
    aggregate: { count: '*', sum: 'price' },
    having,
  });
  return printCondition(plan.having);
};

describe('"having"', () => {
  it.each<[Body, string]>([
    [{}, 'true'],
    [{ status: { _eq: 'a' } }, 'output 0 eq value 0'],
    [{ shop: { region: { _null: true } } }, 'output 1 is null'],
    [{ count: { _gt: 1 } }, 'output 2 gt value 0'],
    [{ count: { '*': { _gt: 1 } } }, 'output 2 gt value 0'],
    [{ sum: { price: { _lte: 1 } } }, 'output 3 lte value 0'],
    [{ max: { price: { _neq: 1 } } }, 'output 4 neq value 0'],
    [{ count: { _gt: 1, _lt: 9 } }, '(output 2 gt value 0 and output 2 lt value 1)'],
    [
      { _or: [{ status: { _eq: 'a' } }, { count: { _or: [{ _lt: 1 }, { _gt: 5 }] } }] },
      '(output 0 eq value 0 or (output 2 lt value 1 or output 2 gt value 2))',
    ],
    [
      { _and: [{ status: { _eq: 'a' } }, { count: { _gt: 1 } }] },
      '(output 0 eq value 0 and output 2 gt value 1)',
    ],
    [{ _or: [] }, 'true'],
    [{ _and: [] }, 'true'],
  ])('compares groups and measures: %j', (having, want) => {
    expect(havingOf(having)).toBe(want);
  });

  it('is true of every group where the query has none', () => {
    expect(planSales({ groupBy: 'status' }).having).toEqual({ kind: 'true' });
  });

  it.each<[Body, string]>([
    [
      { price: { _eq: 1 } },
      '"having" of an aggregation takes groups and operations, not "price"; for example status, shop.region, count, sum.<field>',
    ],
    [
      { sum: { _gt: 1 } },
      '"having" of an aggregation takes groups and operations, not "sum"; for example status, shop.region, count, sum.<field>',
    ],
    [{ shop: { _some: { region: { _eq: 'a' } } } }, '"_some" does not apply to "having"'],
    [{ shop: { _none: { region: { _eq: 'a' } } } }, '"_none" does not apply to "having"'],
    [
      { count: { _contains: 'a' } },
      '"count" (integer) does not support "_contains"; it supports _eq, _neq, _in, _nin, _null, _nnull, _lt, _lte, _gt, _gte, _between, _nbetween',
    ],
  ])('is refused with what is neither: %j', (having, want) => {
    expect(reasonOf(() => havingOf(having))).toBe(`INVALID_QUERY: ${want}`);
  });
});

describe('the rows that are counted', () => {
  const mine = { status: { _eq: 'mine' } };
  const open = { status: { _eq: 'open' } };
  const north = { region: { _eq: 'north' } };

  it('match the filter and the search of the query, and the rows of the grant', () => {
    const body = { groupBy: 'paid', filter: { stars: { _gt: 1 } } };
    const plan = planSales(body, { permissions: [{ collection: 'sale', permissions: mine }] });
    expect(printCondition(plan.where)).toBe('(status eq "mine" and stars gt value 0)');
    expect(printCondition(plan.whereTotal)).toBe('status eq "mine"');
  });

  it('are not counted where the filter names what does not exist', () => {
    expect(refusalOf({ aggregate: { count: '*' }, filter: { nothing: { _eq: 1 } } })).toBe(
      'FORBIDDEN: the field "nothing" does not exist or may not be used',
    );
  });

  it('are those whose group the caller may see', () => {
    const permissions = [
      { collection: 'sale', fields: ['paid'] },
      { collection: 'sale', fields: ['stars'], permissions: open },
    ];
    const where = (groupBy: string) => printCondition(planSales({ groupBy }, { permissions }).where);
    expect(where('paid')).toBe('true');
    expect(where('stars')).toBe('at(row: status eq "open")');
  });

  it('are those that lead to a visible item, or to none', () => {
    const permissions = [
      { collection: 'sale', fields: ['paid'] },
      { collection: 'sale', fields: ['shop'], permissions: open },
      { collection: 'shop', fields: ['id'] },
      { collection: 'shop', fields: ['region'], permissions: north },
    ];
    const where = (groupBy: string) => printCondition(planSales({ groupBy }, { permissions }).where);
    expect(where('shop.id')).toBe('at(row: status eq "open")');
    expect(where('shop.region')).toBe(
      '(at(row: status eq "open") and (shop.id is null or at(row.shop: region eq "north")))',
    );
    // a hidden item counts as none, unlike in a rule
    expect(planSales({ groupBy: 'shop.region' }, { permissions }).where).toMatchObject({
      conditions: [
        { kind: 'at' },
        { conditions: [{ kind: 'null', column: { inRule: false } }, { kind: 'at' }] },
      ],
    });
  });

  it('are a part where the query asks for one', () => {
    const plan = planSales({ groupBy: 'status', limit: 5, offset: 2, meta: ['filter_count'] });
    expect(plan.limit).toMatchObject({ from: 'query' });
    expect(plan.offset).toEqual({ from: 'query', slot: expect.any(Number) });
    expect(plan.page).toBeNull();
    expect(plan.meta).toEqual(['filter_count']);
    const second = planSales({ groupBy: 'status', page: 2 });
    expect([second.limit, second.offset]).toEqual(['default', null]);
    expect(second.page).toEqual({ from: 'query', slot: expect.any(Number) });
  });
});

describe('groups of a list', () => {
  it('take the place of its items', () => {
    const entry = planSalesOfShops({ _groupBy: ['status'], _aggregate: { count: '*' } });
    expect(entry?.kind).toBe('groups');
    if (entry?.kind !== 'groups') return;
    expect([entry.name, entry.relation.name, entry.rule]).toEqual(['sales', 'sales', null]);
    expect(entry.plan.collection.name).toBe('sale');
    expect(entry.plan.shape).toEqual([
      { name: 'status', output: 0 },
      { name: 'count', output: 1 },
    ]);
  });

  it.each([{ _offset: 1 }, { _page: 2 }])('have no pages: %j', (parameters) => {
    expect(reasonOf(() => planSalesOfShops({ _groupBy: ['status'], ...parameters }))).toBe(
      'INVALID_QUERY: "offset" and "page" do not apply to the groups of "sales"',
    );
  });

  it('are left out where the caller may not read its items', () => {
    expect(planSalesOfShops({ _groupBy: ['status'] }, [{ collection: 'shop' }])).toBeUndefined();
  });
});
