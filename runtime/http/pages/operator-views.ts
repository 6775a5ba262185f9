/** Views of the operators' page, by the name in its address. Each returns the elements that it shows. */
export const operatorViews = `
const statusClass = ({ status, error_type: error, http_status: code }) =>
  status !== 'COMPLETED' ? 'wait' : error !== null || code >= 400 ? 'bad' : 'good';
const statusText = (request) =>
  request.status === 'COMPLETED' ? (request.error_type || (request.http_status >= 400 ? 'error ' + request.http_status : 'OK')) : request.status;
const statusOf = (request) => el('span', { class: statusClass(request) }, statusText(request));

const option = (value, label, chosen) => el('option', { value, selected: value === chosen }, label);
const searchForm = (params) => {
  const field = (label, name, more) => el('label', null, label, el('input', { name, value: params.get(name) || '', ...more }));
  const choice = (label, name, values) => el('label', null, label,
    el('select', { name }, ['', ...values].map((value) => option(value, value || 'any', params.get(name)))));
  const form = el('form', { class: 'search' },
    field('Request', 'id', { placeholder: 'id' }),
    field('Account', 'account', { placeholder: 'id or e-mail address' }),
    field('Model', 'model', { placeholder: 'acme/upscale' }),
    choice('Status', 'status', ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
    field('Error', 'error_type', { placeholder: 'runner_server_error' }),
    field('Webhook', 'endpoint', { placeholder: 'https://example.com' }),
    choice('Delivery', 'delivery', ['pending', 'failed', 'delivered']),
    field('Tag', 'tag', { placeholder: 'key=value' }),
    field('Trace', 'trace_id', { placeholder: 'id, 32 digits' }),
    field('After', 'after', { placeholder: '2026-01-31T08:00:00Z' }),
    field('Before', 'before', { placeholder: '2026-01-31T09:00:00Z' }),
    el('button', { class: 'main' }, 'Search'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { id, ...filter } = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
    const next = id ? '#/requests/' + encodeURIComponent(id) : '#/requests?' + query(filter);
    if (next === location.hash) void render();
    else location.hash = next;
  });
  return form;
};

const requestColumns = [
  ['Request', ({ id }) => linkTo('requests/' + id, short(id))],
  ['Model', ({ model }) => model],
  ['Account', ({ account }) => linkTo('requests?' + query({ account }), short(account))],
  ['Status', statusOf],
  ['Attempts', ({ attempts }) => String(attempts), 'number'],
  ['Created', ({ created_at: at }) => timeOf(at)],
];

const viewRequests = async (params, id) => {
  if (id !== undefined) return viewRequest(id);
  const filter = Object.fromEntries(params);
  const found = await get('requests?' + query({ limit: '50', ...filter }));
  const { cursor, limit, ...selection } = filter;
  if (selection.http_status !== undefined) selection.http_status = Number(selection.http_status);
  const isFiltered = Object.keys(selection).length > 0;
  const last = found[found.length - 1];
  return [
    el('h1', null, 'Requests'), searchForm(params),
    isFiltered && found.length > 0 ? el('div', { class: 'bar' }, el('span', null, 'All that match:'),
      Object.keys(bulkLabels).map((action) => bulkButton(action, { filter: selection }))) : '',
    table(requestColumns, found, 'No request matches.'),
    found.length === 50 ? el('div', { class: 'bar' }, linkTo('requests?' + query({ ...filter, cursor: last.id }), 'Older requests')) : '',
  ];
};

const megabytes = (bytes) => bytes === null ? '' : Math.round(bytes / 1e6) + ' MB';
const attemptEvents = (attempt) => {
  const name = 'Attempt ' + attempt.number;
  const outcome = attempt.outcome === 'ok' ? 'good' : 'bad';
  return [
    { at: attempt.begun_at, content: [name + ' began on ' + attempt.worker] },
    attempt.ended_at === null ? null : { at: attempt.ended_at, content: [
      el('span', { class: outcome }, name + ' ended: ' + [attempt.outcome, attempt.error_type].filter(Boolean).join(', ')),
      attempt.memory === null ? '' : ' · ' + megabytes(attempt.memory),
      attempt.message === null ? '' : el('p', null, (attempt.error || 'Error') + ': ' + attempt.message),
      attempt.stack === null ? '' : el('details', null, el('summary', null, 'Stack'), el('pre', null, attempt.stack)),
    ] },
  ];
};
const postponed = { paused: 'paused by an operator', receiver_busy: 'the receiver is busy', receiver_failing: 'the receiver failed too often' };
const whyNot = ({ postponed: why }, separator) => why === null ? '' : separator + (postponed[why] || why);
const nextOf = (delivery) => delivery.next_at === null ? '' : [timeOf(delivery.next_at), whyNot(delivery, ': ')];
const deliveryEvents = (delivery) => [
  { at: delivery.created_at, content: ['Webhook to ' + delivery.url] },
  ...delivery.attempts.map((attempt) => ({ at: attempt.created_at, content: [
    el('span', { class: attempt.error === null ? 'good' : 'bad' }, 'Webhook attempt ' + attempt.number + ': ' +
      (attempt.status === null ? attempt.error : 'status ' + attempt.status) + ', ' + attempt.milliseconds + ' ms')] })),
  delivery.next_at === null ? null : { at: delivery.next_at, content: [el('span', { class: 'wait' },
    'Next webhook attempt' + whyNot(delivery, ', '))] },
];

const viewRequest = async (id) => {
  const { request, attempts, deliveries, temporal_url: temporal } = await get('requests/' + encodeURIComponent(id));
  const failed = attempts.filter(({ message }) => message !== null).pop();
  const events = [
    { at: request.created_at, content: ['Submitted'] },
    ...attempts.flatMap(attemptEvents),
    request.ended_at === null ? null : { at: request.ended_at, content: ['Ended: ', statusOf(request)] },
    ...deliveries.flatMap(deliveryEvents),
  ].filter((event) => event !== null).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const facts = [
    ['Status', statusOf(request)],
    ['Why', failed === undefined || statusClass(request) === 'good' ? '' : (failed.error || 'Error') + ': ' + failed.message],
    ['Model', linkTo('requests?' + query({ model: request.model }), request.model)],
    ['Account', linkTo('requests?' + query({ account: request.account }), request.account)],
    ['Webhook', deliveries.length === 0 ? request.webhook || '' : deliveries[0].state + ' · ' + deliveries[0].url],
    ['Next attempt', deliveries.length === 0 ? '' : nextOf(deliveries[0])],
    ['Tags', request.tags ? Object.entries(request.tags).map((pair) => pair.join('=')).join(', ') : ''],
    ['Trace', request.trace_id === null ? '' : linkTo('requests?' + query({ trace_id: request.trace_id }), request.trace_id)],
    ['Workflow', temporal === null ? '' : el('a', { href: temporal, target: '_blank', rel: 'noreferrer' }, 'in the Temporal UI')],
  ].filter(([, value]) => value !== '');
  return [
    el('p', null, linkTo('requests', 'All requests')), el('h1', null, 'Request ' + request.id),
    el('dl', null, facts.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
    el('div', { class: 'bar' }, (request.status === 'COMPLETED' ? ['retry', 'redeliver'] : ['cancel', 'release']).map((action) => bulkButton(action, { ids: [request.id] }))),
    el('h2', null, 'What happened'),
    el('ol', null, events.map(({ at, content }) => el('li', null, timeOf(at), content))),
  ];
};

const viewModels = async () => {
  const columns = [
    ['Model', ({ id }) => linkTo('requests?' + query({ model: id }), id)],
    ['Class', ({ class: name }) => name || 'none: it does not exist any more'],
    ['Waiting', ({ waiting }) => String(waiting), 'number'],
    ['Oldest', ({ oldest_at: at }) => timeOf(at)],
    ['Running', ({ running, admitted, slots }) => (running + admitted) + (slots === null ? '' : ' of ' + slots), 'number'],
    ['Workers', ({ workers }) => el('span', { class: workers === 0 ? 'bad' : null }, String(workers)), 'number'],
    ['', ({ id, paused }) => [paused ? el('span', { class: 'wait' }, 'paused ') : '', pauseButton('model', id, paused)]],
  ];
  const models = await get('models');
  models.sort((a, b) => b.waiting - a.waiting || a.id.localeCompare(b.id));
  return [el('h1', null, 'Models'), table(columns, models, 'There are no models.')];
};

const viewWebhooks = async (params) => {
  const state = params.get('state') || 'pending';
  const endpoint = params.get('endpoint') || '';
  const [endpoints, deliveries] = await Promise.all([get('endpoints'), get('deliveries?' + query({ state, endpoint }))]);
  const columns = [
    ['Endpoint', ({ endpoint: name }) => linkTo('webhooks?' + query({ endpoint: name, state: 'pending' }), name)],
    ['Account', ({ account }) => short(account)],
    ['Pending', ({ pending }) => String(pending), 'number'],
    ['Failed', (row) => linkTo('webhooks?' + query({ endpoint: row.endpoint, state: 'failed' }), String(row.failed)), 'number'],
    ['Delivered', ({ delivered }) => String(delivered), 'number'],
    ['', ({ endpoint: name, paused }) => [paused ? el('span', { class: 'wait' }, 'paused ') : '', pauseButton('endpoint', name, paused)]],
  ];
  const last = ({ attempts }) => attempts[attempts.length - 1];
  const deliveryColumns = [
    ['Request', ({ request }) => request === null ? 'a test' : linkTo('requests/' + request, short(request))],
    ['Account', ({ account }) => short(account)],
    ['URL', ({ url }) => url],
    ['Attempts', ({ attempts }) => String(attempts.length), 'number'],
    ['Last answer', (row) => last(row) === undefined ? '' : last(row).status === null ? last(row).error : 'status ' + last(row).status],
    ['Next attempt', nextOf],
  ];
  const tabs = ['pending', 'failed', 'delivered'].map((each) => each === state ? el('strong', null, each) : linkTo('webhooks?' + query({ endpoint, state: each }), each));
  return [
    el('h1', null, 'Webhooks of the last day'), table(columns, endpoints, 'No webhook was sent.'),
    el('h2', null, 'Deliveries' + (endpoint && ' to ' + endpoint)), el('div', { class: 'bar' }, tabs,
      endpoint && state === 'failed' ? bulkButton('redeliver', { filter: { endpoint, delivery: 'failed' } }) : ''),
    table(deliveryColumns, deliveries, 'None is ' + state + '.'),
  ];
};

const viewWorkers = async () => {
  const columns = [
    ['Worker', ({ id }) => id],
    ['State', ({ state }) => el('span', { class: { running: 'good', draining: 'wait', lost: 'bad' }[state] }, state)],
    ['Tasks', ({ tasks }) => String(tasks), 'number'],
    ['Roles', ({ roles }) => roles.join(', ')],
    ['Classes', ({ classes }) => classes.join(', ')],
    ['Version', ({ version }) => version],
    ['Seen', ({ seen_at: at }) => timeOf(at)],
    ['', ({ id, state }) => state === 'running' ? actNow('Drain', { action: 'drain', ids: [id] }, id + ' finishes what it runs, takes nothing new and ends.') : ''],
  ];
  return [el('h1', null, 'Workers'), table(columns, await get('workers'), 'No worker runs: requests wait.')];
};

const viewAccounts = async (params, id) => {
  const columns = [
    ['Account', ({ account }) => linkTo('accounts/' + account, account)],
    ['Queued', ({ queued }) => String(queued), 'number'],
    ['Running', ({ running }) => String(running), 'number'],
    ['', ({ account, paused }) => [paused ? el('span', { class: 'wait' }, 'paused ') : '', pauseButton('account', account, paused)]],
  ];
  if (id === undefined) return [el('h1', null, 'Accounts with requests that have not ended'), table(columns, await get('accounts'), 'Nothing waits or runs.')];
  const { paused, limits } = await get('accounts/' + id);
  const limitColumns = [
    ['Quota', ({ quota }) => quota],
    ['Used', ({ used }) => String(used), 'number'],
    ['Limit', ({ limit }) => limit === null ? 'none' : String(limit), 'number'],
  ];
  return [
    el('p', null, linkTo('accounts', 'All accounts')), el('h1', null, 'Account ' + id),
    el('div', { class: 'bar' }, linkTo('requests?' + query({ account: id }), 'Its requests'), pauseButton('account', id, paused)),
    table(limitColumns, limits, ''),
  ];
};

const views = { requests: viewRequests, models: viewModels, webhooks: viewWebhooks, workers: viewWorkers, accounts: viewAccounts };
`;
