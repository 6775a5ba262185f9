/** Parses the operands of comparisons: everything that binds closer than they do. */
import { Cursor } from './cursor.js';
import { concatenate } from './normalize.js';
import { negateNumber, normalizeNumber } from './numbers.js';
import { neutralSyntax, type ExpressionSyntax } from './syntax.js';
import { UnsupportedExpression, type Token } from './tokens.js';
import type { ColumnKind, ColumnKinds, Expression, Operator } from './tree.js';
import {
  aliases,
  bareCalls,
  checkOperands,
  comparisons,
  computedTypes,
  findColumn,
  isText,
  numberTypes,
  textTypes,
  typeWords,
} from './vocabulary.js';

const isNumber = (kind: ColumnKind | undefined): boolean => kind === 'number' || kind === 'smallint';

export abstract class OperandParser extends Cursor {
  protected readonly columns: ColumnKinds;
  protected readonly syntax: ExpressionSyntax;

  constructor(tokens: readonly Token[], columns: ColumnKinds, syntax: ExpressionSyntax) {
    super(tokens);
    this.columns = columns;
    this.syntax = syntax;
  }

  /** Parses a whole expression, as inside parentheses. */
  protected abstract expression(): Expression;

  protected concatenation(): Expression {
    const operands = [this.#sum()];
    while (this.takeSymbol('||')) operands.push(this.#sum());
    return concatenate(operands);
  }

  #sum(): Expression {
    return this.#binary(['+', '-'], () => this.#product());
  }

  #product(): Expression {
    return this.#binary(['*', '/', '%'], () => this.#unary());
  }

  #binary(operators: readonly Operator[], next: () => Expression): Expression {
    let left = next();
    for (;;) {
      const token = this.tokens[this.at];
      const text = token?.kind === 'word' && token.text === 'mod' ? '%' : token?.text;
      const operator = operators.find((each) => each === text);
      if (operator === undefined || (token?.kind !== 'symbol' && token?.kind !== 'word')) return left;
      this.at += 1;
      left = { kind: 'operator', operator, operands: [left, next()] };
    }
  }

  #unary(): Expression {
    if (this.takeSymbol('+')) return this.#unary();
    if (!this.takeSymbol('-')) return this.#postfix();
    const operand = this.#unary();
    if (operand.kind === 'number') return { kind: 'number', text: negateNumber(operand.text) };
    return { kind: 'operator', operator: '-', operands: [operand] };
  }

  #postfix(): Expression {
    let operand = this.#primary();
    while (this.takeSymbol('::')) operand = this.#cast(operand, this.type());
    return operand;
  }

  /** Drops a cast that changes nothing; others are outside of the grammar. */
  #cast(operand: Expression, type: string): Expression {
    if (textTypes.test(type) && isText(operand, this.columns)) return operand;
    if (operand.kind === 'null') return operand;
    if (numberTypes.test(type)) {
      if (operand.kind === 'text' && /^-?\d+(?:\.\d+)?$/.test(operand.text)) {
        return { kind: 'number', text: normalizeNumber(operand.text) };
      }
      if (operand.kind === 'number' || this.#isNumberColumn(operand)) return operand;
      // the server adds it where an integer stands beside, and no value changes
      if (type === 'integer' && operand.kind === 'column' && this.columns.get(operand.name) === 'smallint')
        return operand;
    }
    if (operand.kind === 'text' && !numberTypes.test(type) && !computedTypes.test(type)) return operand;
    throw new UnsupportedExpression(`a cast to ${type}`);
  }

  /** Returns whether a column is a number that is compared, so that the cast is the server's own. */
  #isNumberColumn(operand: Expression): boolean {
    if (operand.kind !== 'column' || !isNumber(this.columns.get(operand.name))) return false;
    const [previous, next] = [this.tokens[this.at - 1], this.tokens[this.at]];
    const after = previous?.text === ')' || next === undefined ? next : this.tokens[this.at];
    return after === undefined || comparisons.has(after.text) || after.text === ')' || after.text === 'and';
  }

  protected type(): string {
    const words = [this.next().text];
    for (;;) {
      const token = this.tokens[this.at];
      if (token?.kind === 'word' && typeWords.has(token.text)) words.push(this.next().text);
      else if (token?.text === '(') this.#skipSize();
      else if (this.peekSymbols('[', ']')) this.at += 2;
      else return words.join(' ');
    }
  }

  #skipSize(): void {
    this.expectSymbol('(');
    while (!this.takeSymbol(')')) if (this.next().kind === 'word') throw new UnsupportedExpression('a size');
  }

  #primary(): Expression {
    const token = this.next();
    if (token.kind === 'number') return { kind: 'number', text: normalizeNumber(token.text) };
    if (token.kind === 'text') return { kind: 'text', text: token.text };
    if (token.kind === 'name') return this.#name(token);
    if (token.kind === 'word') return this.#word(token);
    if (token.text !== '(') throw new UnsupportedExpression(`unexpected "${token.text}"`);
    const inner = this.expression();
    this.expectSymbol(')');
    return inner;
  }

  #name(token: Extract<Token, { kind: 'name' }>): Expression {
    // a qualified name: the table is known
    if (this.takeSymbol('.')) return this.#primary();
    const column = findColumn(token.text, this.columns, false);
    if (column !== null) return { kind: 'column', name: column };
    if (token.doubled && this.syntax !== neutralSyntax) return { kind: 'text', text: token.text };
    throw new UnsupportedExpression(`there is no column "${token.text}"`);
  }

  #word({ text, written }: Extract<Token, { kind: 'word' }>): Expression {
    if (text === 'null') return { kind: 'null' };
    if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true' };
    if (text === 'case') return this.#case();
    if (text === 'cast') return this.#castCall();
    if (this.takeSymbol('(')) return this.#call(text);
    if (this.takeSymbol('.')) return this.#primary();
    const column = findColumn(written, this.columns, true);
    if (column !== null) return { kind: 'column', name: column };
    if (bareCalls.has(text)) return this.#toCall(text, []);
    throw new UnsupportedExpression(`there is no column "${written}"`);
  }

  #castCall(): Expression {
    this.expectSymbol('(');
    const operand = this.expression();
    this.expectWord('as');
    const type = this.type();
    this.expectSymbol(')');
    return this.#cast(operand, type);
  }

  #call(name: string): Expression {
    if (name === 'trim' && this.takeWord('both')) this.expectWord('from');
    return this.#toCall(name, this.list(')'));
  }

  #toCall(name: string, operands: readonly Expression[]): Expression {
    const known = this.syntax.functions.get(name) ?? aliases.get(name);
    if (known === 'concat') return concatenate(operands);
    if (known === '%') return { kind: 'operator', operator: '%', operands };
    if (known === undefined || known === 'unsupported')
      throw new UnsupportedExpression(`the function ${name}`);
    checkOperands(known, operands);
    // the precision of the time is that of its column
    return { kind: 'call', name: known, operands: known === 'now' ? [] : operands };
  }

  #case(): Expression {
    const operands: Expression[] = [];
    while (this.takeWord('when')) {
      operands.push(this.expression());
      this.expectWord('then');
      operands.push(this.expression());
    }
    const hasElse = this.takeWord('else');
    if (hasElse) operands.push(this.expression());
    this.expectWord('end');
    if (operands.length < 2) throw new UnsupportedExpression('CASE with an operand');
    return { kind: 'case', operands, hasElse };
  }

  /** Reads expressions up to a closing bracket. */
  protected list(close: string): readonly Expression[] {
    const values: Expression[] = [];
    if (this.takeSymbol(close)) return values;
    do values.push(this.expression());
    while (this.takeSymbol(','));
    this.expectSymbol(close);
    return values;
  }
}
