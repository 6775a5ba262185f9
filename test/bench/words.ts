/** Words that the data are made of. */

export const givenNames = ['ada', 'björn', 'chen', 'dina', 'emre', 'fatou', 'gina', 'hugo', 'inês', 'jonas'];

export const words = (
  'amber anchor basil bridge candle cedar cliff cloud copper coral cotton daisy dawn delta ember falcon fern ' +
  'field flint forest garden glass grain harbor hazel hill honey island ivory jade juniper kettle lake lantern ' +
  'leaf lemon linen maple marble meadow mint moon moss oak ocean olive orchard otter paper pearl pepper pine ' +
  'plum pond quartz quiet rain raven reed ridge river robin rose saddle sage salt sand shell silver sky slate ' +
  'snow sparrow spring stone storm summer thistle timber valley velvet violet walnut water willow winter'
).split(' ');
