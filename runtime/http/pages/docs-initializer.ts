/**
 * The script that starts Swagger UI, in a separate file because the page allows no inline scripts. The
 * document depends on the permissions of the caller, so it is fetched again whenever the token changes.
 */
export const initializer = `(() => {
  'use strict';
  const domNode = document.getElementById('docs');
  const url = domNode.dataset.specUrl;
  let token = null;

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', followScheme);
  followScheme();

  const withToken = (request) => {
    if (request.loadSpec && token !== null) request.headers.Authorization = 'Bearer ' + token;
    return request;
  };

  const fetchAgain = (original, system) => (payload) => {
    const result = original(payload);
    const schemes = system.authSelectors.authorized().toJS();
    const scheme = schemes.bearer || schemes.accessToken;
    token = scheme ? scheme.value : null;
    system.specActions.download(url);
    return result;
  };

  SwaggerUIBundle({
    url,
    domNode,
    layout: 'BaseLayout',
    validatorUrl: null,
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    requestInterceptor: withToken,
    plugins: [
      { statePlugins: { auth: { wrapActions: { authorize: fetchAgain, logout: fetchAgain } } } },
    ],
  });
})();
`;
