/** Script of the operators' page: calls, login, confirmation of actions and navigation. Views are in `operator-views.ts`. */
export const operatorScript = `
'use strict';
const base = document.body.dataset.base;
const find = (selector) => document.querySelector(selector);
const main = find('main');
const say = (text) => { find('#say').textContent = text; };

/** Builds an element; texts become text nodes, so that nothing is read as HTML. */
const el = (name, attributes, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''));
  return node;
};

const call = async (method, path, body) => {
  const answer = await fetch(base + path, {
    method,
    credentials: 'same-origin',
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (answer.status === 204) return null;
  const read = await answer.json().catch(() => ({}));
  if (answer.ok) return read.data;
  const [error] = read.errors || [];
  throw Object.assign(new Error(error ? error.message : 'status ' + answer.status), { status: answer.status });
};
const get = (path) => call('GET', '/operator/' + path);

const ago = (text) => {
  const seconds = Math.round((Date.now() - Date.parse(text)) / 1000);
  const size = Math.abs(seconds);
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const [unit, name] = units.find(([each]) => size >= each) || units[3];
  const amount = Math.floor(size / unit) + ' ' + name;
  return seconds >= 0 ? amount + ' ago' : 'in ' + amount;
};
const timeOf = (text) => text === null ? '' : el('time', { datetime: text, title: text }, new Date(text).toLocaleString() + ' (' + ago(text) + ')');
const linkTo = (path, text) => el('a', { href: '#/' + path }, text);
const short = (id) => el('span', { title: id }, id.length === 36 ? id.slice(0, 8) + '…' + id.slice(-4) : id);

/** Returns a table; each column is [label, cell of a row, class]. */
const table = (columns, rows, none) => rows.length === 0 ? el('p', { class: 'soft' }, none) : el('table', null,
  el('tr', null, columns.map(([label, , kind]) => el('th', { class: kind }, label))),
  rows.map((row) => el('tr', null, columns.map(([label, cell, kind]) => el('td', { 'data-label': label || null, class: kind }, cell(row))))));

const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '' && value !== undefined)).toString();

/** Asks for a confirmation and a reason. Resolves to the reason, or to null if it is called off. */
const confirmAct = (title, text) => new Promise((resolve) => {
  const reason = el('input', { name: 'reason', maxlength: 200 });
  const dialog = el('dialog', { 'aria-label': title },
    el('h1', null, title), el('p', null, text), el('label', null, 'Reason, for the record', reason),
    el('div', { class: 'bar' },
      el('button', { onclick: () => dialog.close() }, 'Go back'),
      el('button', { class: 'main', onclick: () => dialog.close('yes') }, title)));
  dialog.addEventListener('close', () => {
    dialog.remove();
    resolve(dialog.returnValue === 'yes' ? reason.value : null);
  });
  document.body.append(dialog);
  dialog.showModal();
});

const guarded = (act) => () => act().catch(async (error) => {
  if (error.status !== 401 && error.status !== 403) return say(error.message);
  // callers without a login are refused as well
  const isKnown = await call('GET', '/users/me').then(() => true, () => false);
  if (!isKnown) return showLogin();
  find('header').hidden = false;
  main.replaceChildren();
  say('Your account may not do that. It needs a policy with operator_access.');
});
const actButton = (label, act) => el('button', { onclick: guarded(act) }, label);

/** Acts at once: pauses and resumes targets, drains workers. */
const actNow = (label, body, text) => actButton(label, async () => {
  const reason = await confirmAct(label, text);
  if (reason === null) return;
  await call('POST', '/operator/actions', { ...body, ...(reason && { reason }) });
  await render();
  say(label + ': done.');
});
const pauseButton = (kind, name, paused) => {
  const action = paused ? 'resume' : 'pause';
  const label = paused ? 'Resume' : 'Pause';
  const text = paused ? kind + ' ' + name + ' goes on.' : kind + ' ' + name + ': what is not running yet waits until it is resumed.';
  return actNow(label, { action, target: { kind, name } }, text);
};

const bulkLabels = { cancel: 'Cancel', retry: 'Retry', redeliver: 'Redeliver', release: 'Release' };
const bulkTexts = {
  cancel: 'are cancelled',
  retry: 'run again from the start',
  redeliver: 'have their webhook sent again',
  release: 'get a slot although none is free',
};
/** Counts first, asks, and follows the progress. The selection has either ids or a filter. */
const bulkButton = (action, selection) => actButton(bulkLabels[action], async () => {
  const { total } = await call('POST', '/operator/actions', { action, ...selection, dry_run: true });
  if (total === 0) return say('There is no request to which "' + action + '" applies.');
  const count = total === 1 ? '1 request' : total + ' requests';
  const reason = await confirmAct(bulkLabels[action] + ' ' + count, count + ' ' + bulkTexts[action] + '.');
  if (reason === null) return;
  const started = await call('POST', '/operator/actions', { action, ...selection, ...(reason && { reason }) });
  await follow(started);
});
const follow = async (started) => {
  const abort = actButton('Abort', () => call('DELETE', '/operator/actions/' + started.id));
  let now = started;
  while (now.state === 'running') {
    say(now.action + ': ' + (now.done + now.failed) + ' of ' + now.total + ' ');
    find('#say').append(abort);
    await new Promise((resolve) => setTimeout(resolve, 500));
    now = await get('actions/' + started.id);
  }
  await render();
  const [error] = now.errors;
  say(now.action + ' ' + now.state + ': ' + now.done + ' done, ' + now.failed + ' not' + (error ? ' (' + error.message + ')' : '') + '.');
};

const showLogin = () => {
  find('header').hidden = true;
  const field = (label, name, type, more) => el('label', null, label, el('input', { name, type, ...more }));
  const form = el('form', { id: 'login' }, el('h1', null, 'Log in to operate the queue'),
    field('E-mail', 'email', 'email', { required: true, autocomplete: 'username' }),
    field('Password', 'password', 'password', { required: true, autocomplete: 'current-password' }),
    field('Code, if your account has one', 'otp', 'text', { autocomplete: 'one-time-code', inputmode: 'numeric' }),
    el('button', { class: 'main' }, 'Log in'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { email, password, otp } = form.elements;
    const body = { email: email.value, password: password.value, mode: 'session', ...(otp.value && { otp: otp.value }) };
    const failure = await call('POST', '/auth/login', body).then(() => null, (error) => error.message);
    if (failure !== null) return say(failure);
    say('');
    await render();
  });
  main.replaceChildren(form);
};
`;

export const operatorStart = `
const showTabs = (current) => {
  find('header').hidden = false;
  for (const link of document.querySelectorAll('nav a'))
    if (link.hash === '#/' + current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
};
let renders = 0;
const render = async () => {
  const [path, search = ''] = location.hash.replace(/^#[/]?/, '').split('?');
  const [name = '', id] = path.split('/');
  const current = name in views ? name : 'requests';
  const mine = (renders += 1);
  await guarded(async () => {
    const content = await views[current](new URLSearchParams(search), id);
    if (mine !== renders) return;
    main.replaceChildren(...content);
    showTabs(current);
  })();
};
find('#logout').addEventListener('click', guarded(async () => {
  await call('POST', '/auth/logout', { mode: 'session' });
  showLogin();
}));
addEventListener('hashchange', () => { say(''); void render(); });
void render();
`;
