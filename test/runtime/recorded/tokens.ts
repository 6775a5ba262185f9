/** Signed tokens that the cases ask for by user: `<jwt-expired:user>` and its like. */
import jwt from 'jsonwebtoken';
import { readAccess } from './museum.js';

const { secret, users } = readAccess();

type Make = (claims: Readonly<Record<string, unknown>>) => string;

const makers: Readonly<Record<string, Make>> = {
  expired: (claims) => jwt.sign(claims, secret, { issuer: 'svc', expiresIn: -60 }),
  forged: (claims) => jwt.sign(claims, 'x'.repeat(40), { issuer: 'svc', expiresIn: 60 }),
  issuer: (claims) => jwt.sign(claims, secret, { issuer: 'somebody', expiresIn: 60 }),
  unsigned: (claims) => jwt.sign(claims, '', { algorithm: 'none', issuer: 'svc', expiresIn: 60 }),
};

export const fillTokens = <Value>(value: Value): Value => {
  const text = JSON.stringify(value);
  if (!text.includes('<jwt-')) return value;
  const filled = text.replaceAll(/<jwt-(\w+):(\w+)>/g, (_, kind: string, name: string) => {
    const make = makers[kind];
    if (make === undefined) throw new Error(`there is no token "${kind}"`);
    return make({ id: users[name]?.id, role: null, app_access: false, admin_access: false });
  });
  return JSON.parse(filled) as Value;
};
