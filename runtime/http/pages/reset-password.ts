/** `/reset-password`: the default target of links in password reset mails. */
import { createHash } from 'node:crypto';
import type { ApiResponse } from '../../request/api-request.js';
import { htmlHeaders } from './html.js';

/** Removes the token from the address bar and sends it only with the request. */
const script = `
const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
const token = new URLSearchParams(location.search).get('token') ?? '';
history.replaceState(null, '', location.pathname);
const say = (text) => { status.textContent = text; };
const explain = { 400: 'This password cannot be used.', 401: 'The link has expired. Ask for a new one.', 403: 'The link was used already or is not whole. Ask for a new one.' };
if (token === '') say(explain[403]);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { password, again } = form.elements;
  if (password.value !== again.value) return say('The two passwords differ.');
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const answer = await fetch(form.dataset.endpoint, {
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

const style = `
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #f5f5f4; margin: 0; display: grid; min-height: 100vh; place-items: center }
main { background: #fff; padding: 32px; border-radius: 12px; width: min(360px, 100vw - 32px); box-sizing: border-box }
h1 { font-size: 20px; margin: 0 0 16px }
label { display: block; margin-bottom: 16px; font-size: 14px }
input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: 8px 10px; margin-top: 4px; border: 1px solid #8a8a86; border-radius: 6px }
[hidden] { display: none }
button { font: inherit; width: 100%; padding: 10px; border: 0; border-radius: 6px; background: #1a1a1a; color: #fff; cursor: pointer }
button:disabled { opacity: .6 }
[role=status] { min-height: 24px; margin: 16px 0 0 }
`;

const hashOf = (content: string): string =>
  `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param base path prefix of the server without a trailing slash; empty at the root */
export const resetPasswordPage = (base: string): ApiResponse => ({
  status: 200,
  headers: {
    ...htmlHeaders(policy),
    'cache-control': 'no-store',
  },
  body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Set a new password</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>Set a new password</h1>
      <form data-endpoint="${encodeURI(base)}/auth/password/reset">
        <input name="username" autocomplete="username" hidden>
        <label>New password <input type="password" name="password" autocomplete="new-password" required></label>
        <label>Once more <input type="password" name="again" autocomplete="new-password" required></label>
        <button>Set the password</button>
      </form>
      <p role="status" aria-live="polite"></p>
      <noscript>This page needs JavaScript.</noscript>
    </main>
    <script>${script}</script>
  </body>
</html>
`,
});
