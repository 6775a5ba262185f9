/** A page as an application would have it, beside the API: a login that asks for a code where one is needed. */

const script = `
const form = document.querySelector('form');
const [status, code] = [document.querySelector('[role=status]'), document.querySelector('#code')];
const ask = (method, path, body) => fetch('/content' + path, {
  method,
  ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
});
const show = async () => {
  const answer = await ask('GET', '/items/book/1?fields=title');
  const isIn = answer.ok && document.cookie === '';
  form.hidden = isIn;
  document.querySelector('nav').hidden = !isIn;
  if (isIn) status.textContent = 'You may read ' + (await answer.json()).data.title;
};
const explain = { INVALID_OTP: 'This code is not accepted.', INVALID_CREDENTIALS: 'This is not your password.' };
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { email, password, otp } = form.elements;
  const answer = await ask('POST', '/auth/login', {
    email: email.value,
    password: password.value,
    mode: 'session',
    ...(otp.value !== '' && { otp: otp.value }),
  });
  if (answer.ok) return show();
  const [{ extensions }] = (await answer.json()).errors;
  const isFirst = extensions.code === 'INVALID_OTP' && code.hidden;
  if (isFirst) code.hidden = false;
  status.textContent = isFirst ? 'Enter the code of your application.' : explain[extensions.code];
});
document.querySelector('nav button').addEventListener('click', async () => {
  await ask('POST', '/auth/logout', { mode: 'session' });
  location.reload();
});
show();
`;

const style = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 10vh auto; width: 320px }
label { display: block; margin-bottom: 16px }
input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: 8px }
button { font: inherit; width: 100%; padding: 8px }
[hidden] { display: none }
`;

export const loginPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Log in</title>
<style>${style}</style>
<h1>Log in</h1>
<form>
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<label id="code" hidden>Code <input name="otp" inputmode="numeric" autocomplete="one-time-code"></label>
<button>Log in</button>
</form>
<nav hidden><button>Log out</button></nav>
<p role="status"></p>
<script>${script}</script>
</html>
`;
