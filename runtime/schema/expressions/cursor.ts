/** Reads tokens one after the other. */
import { UnsupportedExpression, type Token } from './tokens.js';

export class Cursor {
  protected at = 0;
  protected readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  protected next(): Token {
    const token = this.tokens[this.at];
    if (token === undefined) throw new UnsupportedExpression('the expression is incomplete');
    this.at += 1;
    return token;
  }

  protected peekSymbol<Value>(values: ReadonlyMap<string, Value>): Value | undefined {
    const token = this.tokens[this.at];
    return token?.kind === 'symbol' ? values.get(token.text) : undefined;
  }

  protected peekSymbols(first: string, second: string): boolean {
    return this.tokens[this.at]?.text === first && this.tokens[this.at + 1]?.text === second;
  }

  protected peekWords(first: string, seconds: readonly string[]): boolean {
    const [token, next] = [this.tokens[this.at], this.tokens[this.at + 1]];
    return (
      token?.kind === 'word' && token.text === first && next?.kind === 'word' && seconds.includes(next.text)
    );
  }

  protected takeWord(text: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word' || token.text !== text) return false;
    this.at += 1;
    return true;
  }

  protected takeSymbol(text: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'symbol' || token.text !== text) return false;
    this.at += 1;
    return true;
  }

  protected expectWord(text: string): void {
    if (!this.takeWord(text)) throw new UnsupportedExpression(`"${text}" is missing`);
  }

  protected expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) throw new UnsupportedExpression(`"${text}" is missing`);
  }
}
