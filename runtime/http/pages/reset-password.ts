/** `/reset-password`: the default target of the links in mails of password resets, and with `?invited` of invitations. */
import type { ApiResponse } from '../../request/api-request.js';
import { layoutPage } from './layout.js';

/** Removes the token from the address bar and sends it only with the request. */
const script = `
const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
const query = new URLSearchParams(location.search);
const token = query.get('token') ?? '';
const { reset, invite } = form.dataset;
history.replaceState(null, '', location.pathname);
const say = (text) => { status.textContent = text; };
const explain = { 400: 'This password cannot be used.', 401: 'The link has expired. Ask for a new one.', 403: 'The link was used already or is not whole. Ask for a new one.' };
form.hidden = token === '';
if (token === '') say('Open this page with the link of the mail that you were sent. To get one, choose "forgot password" where you log in, or ask an administrator.');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { password, again } = form.elements;
  if (password.value !== again.value) return say('The two passwords differ.');
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const answer = await fetch(query.has('invited') ? invite : reset, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: password.value }),
    });
    if (answer.ok) form.replaceChildren();
    say(answer.ok ? 'Your new password is set. You can log in with it now.' : (explain[answer.status] ?? 'That did not work. Try again in a moment.'));
  } catch {
    say('The server cannot be reached. Try again in a moment.');
  }
  button.disabled = false;
});
`;

/**
 * Returns the page on which users choose a new password.
 * @param base path prefix of the server without a trailing slash; empty at the root
 */
export const resetPasswordPage = (base: string): ApiResponse =>
  layoutPage({
    title: 'Set a new password',
    content: `<form data-reset="${encodeURI(base)}/auth/password/reset" data-invite="${encodeURI(base)}/users/invite/accept" hidden>
        <input name="username" autocomplete="username" hidden>
        <label>New password <input type="password" name="password" autocomplete="new-password" required></label>
        <label>Once more <input type="password" name="again" autocomplete="new-password" required></label>
        <button>Set the password</button>
      </form>
      <p role="status" aria-live="polite"></p>
      <noscript>This page needs JavaScript.</noscript>`,
    script,
  });
